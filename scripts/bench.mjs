// npm run bench [-- part…]: figures and their goals, measured on the bundles as packaged. Without a part, everything.
import { spawnSync } from 'node:child_process';
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { build } = await import('./lib/bundles.mjs');
const { installClaudeCode } = await import('./lib/installClaudeCode.mjs');
await build({ minify: true });
await installClaudeCode();
const args = ['--experimental-transform-types', '--no-warnings', 'test/bench/main.ts', ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
