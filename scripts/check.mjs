// npm run check [-- --fix]
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { check } = await import('./lib/check.mjs');
process.exitCode = (await check({ fix: process.argv.includes('--fix') })) ? 0 : 1;
