import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// Two builds of one page. Served: files with hashed names, the engine beside them. `single`:
// everything in one script that `scripts/single.mjs` puts into one HTML file, since browsers
// refuse module scripts and fetches to a page that was opened from disk.
export default defineConfig(({ mode }) => ({
  plugins: [svelte()],
  base: './',
  worker: { format: 'iife' as const },
  build: {
    target: 'es2022',
    outDir: mode === 'single' ? 'build-single' : '../ui/dist',
    emptyOutDir: true,
    reportCompressedSize: false,
    modulePreload: false,
    chunkSizeWarningLimit: mode === 'single' ? 2000 : 500,
    ...(mode === 'single'
      ? {
          rollupOptions: {
            output: { format: 'iife' as const, codeSplitting: false },
            // The one script has no address of its own.
            transform: { define: { 'import.meta': '{}' } },
          },
        }
      : {}),
  },
}));
