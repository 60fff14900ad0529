// npm start [-- --demo] [--no-open] [--once]
//   --demo     a scripted model and a home of its own, even where a Claude account is set up
//   --no-open  do not open a browser
//   --once     stop as soon as the workbench answers
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { start } = await import('./lib/start.mjs');
const has = flag => process.argv.includes(flag);
await start({ demo: has('--demo'), open: !has('--no-open'), once: has('--once') });
