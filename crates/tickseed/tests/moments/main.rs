//! Moments that the studio recorded, as the tests that it makes of them: here they are compiled and
//! run. That the page makes just these is for its own test to say (`moments.test.mjs`), which
//! writes them anew with `WRITE_MOMENTS=1`.

mod boss_tick_240;
mod guard_tick_1350;
mod monster_tick_50;
mod robot_tick_130;
mod villager_tick_40;
