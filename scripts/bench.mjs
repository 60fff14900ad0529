// npm run bench [-- part…]: figures and their goals, measured on the bundles as packaged. Without a part, everything.
import { spawnSync } from 'node:child_process';
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { build } = await import('./lib/bundles.mjs');
const { installChromium } = await import('./lib/installChromium.mjs');
const { installAgent } = await import('./lib/installAgent.mjs');
const { installVscodeServer } = await import('./lib/installVscodeServer.mjs');
await build({ minify: true });
for (const agent of ['claude-code', 'copilot', 'opencode', 'qwen']) await installAgent(agent);
for (const install of [installVscodeServer, installChromium]) await install();
const args = ['--experimental-transform-types', '--no-warnings', 'test/bench/main.ts', ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
