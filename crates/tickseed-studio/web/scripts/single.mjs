// Puts the page, its script, its style and the engine into one HTML file.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const assets = readdirSync('build-single/assets');
const read = (end) => assets.filter((f) => f.endsWith(end)).map((f) => readFileSync(`build-single/assets/${f}`, 'utf8')).join('\n');
// A closing tag within a string would end the element it stands in.
const safe = (text, tag) => text.replaceAll(`</${tag}`, `<\\/${tag}`);
const head = readFileSync('index.html', 'utf8').split('<body>')[0].replace('</head>', '');
const engine = readFileSync('public/tickseed.wasm').toString('base64');
const page = `${head}<style>${safe(read('.css'), 'style')}</style>
</head>
<body>
<div id="app"></div>
<script type="text/plain" id="engine">${engine}</script>
<script>${safe(read('.js'), 'script')}</script>
</body>
</html>
`;
writeFileSync('../ui/dist/tickseed.html', page);
rmSync('build-single', { recursive: true });
