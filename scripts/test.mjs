// npm test [-- phase… [words in file names…]]: without a phase, everything.
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { runPhases } = await import('./lib/testPhases.mjs');
const { failed, isStopped } = await runPhases(process.argv.slice(2));
process.exitCode = isStopped ? 130 : failed > 0 ? 1 : 0;
