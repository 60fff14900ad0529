import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { address } from '../../support/hookedWorker.ts';
import { HandOverRuntime } from '../../support/handOverRuntime.ts';
import { PreparedWorker } from '../../support/preparedWorker.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const { source } = HandOverRuntime;
const first = source.indexOf('hand_over() {') + 1;
const lines = source
	.slice(first, source.indexOf('}', first))
	.map((text, index) => ({ text: text.trim(), at: first + index }))
	.filter(({ text }) => !text.startsWith('#'));

let runtime: HandOverRuntime;
beforeAll(async () => {
	runtime = await HandOverRuntime.make();
});
afterAll(() => runtime[Symbol.dispose]());

const WORDS = 'Not lost, not twice.';

it('the lines of the handing over are found', () => {
	expect(lines.length).toBeGreaterThan(20);
	expect(lines.map(({ text }) => text)).toContain('set -C');
});

it.each(lines)('a kill before “$text” loses no message, and repeats none unmarked', async ({ text, at }) => {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.send(WORDS);
	runtime.insert('kill -9 $$', at);
	const killed = worker.hook({ launcher: runtime.launcher });
	const isDead = killed.status === null;
	// These lines are not reached if all goes well.
	if (!isDead) expect(text).toMatch(/^(?:give_back|set \+C|return|exit 0|}|fi)$/);
	const places = ['inbox', 'claimed', 'delivered'].flatMap(state => {
		const names = readdirSync(join(worker.box, state));
		return names.filter(name => name.endsWith(`${id}.md`)).map(() => state);
	});
	expect(places).toHaveLength(1);
	const next = worker.hook();
	const last = worker.hook();
	const said = [killed, next, last].map(({ stdout }) => stdout).filter(stdout => stdout.includes(WORDS));
	expect(said.length).toBeGreaterThan(0);
	// What was printed but not filed is repeated, and says so.
	for (const again of said.slice(1)) expect(again).toContain('You may have received this message before');
	expect(said.length).toBeLessThan(3);
	const { messages, problems } = await worker.workspace.mailbox(address).list();
	expect(problems).toEqual([]);
	expect(messages).toMatchObject([{ id, state: 'delivered', author: { is: 'human' }, receipt: { id } }]);
});

it.each([
	['the CLI no longer waits', 'sleep 0.7', { NANCY_HOOK_TIMEOUT: '1' }],
	['the CLI is gone', 'look_at() { parent=1; }', {}],
])('a message goes back unmarked when %s', async (_, line, env) => {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.send(WORDS);
	runtime.insert(line, source.indexOf("\ttrap '' PIPE"));
	expect(worker.hook({ launcher: runtime.launcher, env })).toEqual({ status: 0, stdout: '', stderr: '' });
	expect(existsSync(join(worker.box, 'inbox', `${id}.md`))).toBe(true);
	expect(worker.hook().stdout).not.toContain('before');
});
