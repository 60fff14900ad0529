// npm run build [-- --minify] | npm run watch
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { build, watch } = await import('./lib/bundles.mjs');
if (process.argv.includes('--watch')) await watch();
else await build({ minify: process.argv.includes('--minify') });
