// npm run test:k8s: delegates in a real Kubernetes cluster on loopback, which the first run builds.
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { installAgent } = await import('./lib/installAgent.mjs');
const { run } = await import('./lib/run.mjs');
await installAgent('claude-code');
const { code } = await run('npx', [
	'vitest',
	'run',
	'--project',
	'k8s',
	'--reporter',
	'verbose',
	...process.argv.slice(2),
]);
process.exitCode = code;
