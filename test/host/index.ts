import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { format } from 'node:util';
import { TEST_HANGS_MS } from '../support/eventually.ts';

/** What VS Code calls inside the extension host, in a server as on a desktop: runs the suites that were built beside this file. */
export async function run(): Promise<void> {
	const { default: Mocha } = await import('mocha');
	const { NANCY_TEST_RESULT: result, NANCY_TEST_MARK: mark, NANCY_TEST_PICTURES: pictures } = process.env;
	const say = (...words: unknown[]) => console.log((mark ?? '') + format(...words));
	// The runner must tell this suite's lines from the window's own. VS Code gives console.* no setter, so wrap Mocha's.
	if (mark !== undefined) Object.assign(Mocha.reporters.Base, { consoleLog: say });
	const mocha = new Mocha({
		ui: 'bdd',
		color: true,
		timeout: TEST_HANGS_MS,
		forbidOnly: Boolean(process.env['CI']),
		rootHooks: {
			async afterEach(this: Mocha.Context) {
				if (pictures === undefined || this.currentTest?.state !== 'failed') return;
				const picture = join(pictures, `${this.currentTest.fullTitle().replaceAll(/[^\w.-]+/g, '_')}.png`);
				say(`@@picture ${picture}`);
				for (let waited = 0; waited < 2000 && !existsSync(picture); waited += 50) await sleep(50);
			},
		},
	});
	const suites = readdirSync(__dirname).filter(name => name.endsWith('.host.test.js'));
	for (const each of suites.toSorted()) mocha.addFile(join(__dirname, each));
	const stats = await new Promise<Mocha.Stats | undefined>(resolve => {
		const runner = mocha.run(() => resolve(runner.stats));
	});
	// The proof that the run came to its end: a killed extension host reports success.
	if (result !== undefined) {
		writeFileSync(`${result}.part`, JSON.stringify({ passed: stats?.passes, failed: stats?.failures }));
		renameSync(`${result}.part`, result);
	}
	// Console lines travel to the window; those of the last instant would be lost with this process.
	await sleep(100);
	if (stats?.failures !== 0) throw new Error(`${stats?.failures} tests failed`);
}
