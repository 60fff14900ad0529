// npm run pictures [-- scene…]     pictures of every view in a real window, in out/pictures, to be looked at. Without a scene, all of them
// npm run pictures -- documents    the pictures of the README and of the walkthrough, in docs/images and media/walkthrough
// npm run pictures -- desk         the desk's page in a browser, as of a phone, a tablet and a desktop, in out/pictures
// npm run pictures -- film         the film of the README, in docs/images
import { spawnSync } from 'node:child_process';
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { installChromium } = await import('./lib/installChromium.mjs');
const { installAgent } = await import('./lib/installAgent.mjs');
const { installSymbols } = await import('./lib/installSymbols.mjs');
const { installVscodeServer } = await import('./lib/installVscodeServer.mjs');
const { packageExtension } = await import('./lib/packageExtension.mjs');
await packageExtension();
for (const install of [installVscodeServer, installChromium, installSymbols]) await install();
const [first = '', ...rest] = process.argv.slice(2);
// The list of agents in the documents shows the version of each.
const { agentIds } = await import('../test/support/pinnedAgent.ts');
for (const id of first === 'documents' ? agentIds : ['claude-code']) await installAgent(id);
const program = ['desk', 'documents', 'film'].includes(first)
	? [`test/pictures/${first}.ts`]
	: ['test/pictures/main.ts', first, ...rest];
const args = ['--experimental-transform-types', '--no-warnings', ...program.filter(Boolean)];
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
