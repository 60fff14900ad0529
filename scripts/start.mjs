// npm start [-- --demo] [--agents] [--no-open] [--once]
//   --demo     a scripted model and a home of its own, even where a Claude account is set up
//   --agents   the demo with every agent CLI that Nancy knows, installing those that are missing (about 1 GB)
//   --no-open  open no window: print the address for a browser
//   --once     stop as soon as the workbench answers
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { start } = await import('./lib/start.mjs');
const has = flag => process.argv.includes(flag);
await start({
	demo: has('--demo') || has('--agents'),
	agents: has('--agents'),
	open: !has('--no-open'),
	once: has('--once'),
});
