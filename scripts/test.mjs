// npm test [-- phase… [words in file names…]]: without a phase, everything.
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { runPhases } = await import('./lib/testPhases.mjs');
process.exitCode = await runPhases(process.argv.slice(2));
