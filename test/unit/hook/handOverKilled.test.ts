import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { uniqueHex } from '../../../src/base/unique.ts';
import { address } from '../../support/hookedWorker.ts';
import { PreparedWorker } from '../../support/preparedWorker.ts';
import { repository } from '../../support/programs.ts';
import { hookRuntime } from '../../support/runtime.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const source = readFileSync(join(repository, 'hooks', 'hand-over'), 'utf8').split('\n');
const first = source.indexOf('hand_over() {') + 1;
const lines = source
	.slice(first, source.indexOf('}', first))
	.map((text, index) => ({ text: text.trim(), at: first + index }))
	.filter(({ text }) => !text.startsWith('#'));

/** A runtime beside the tests' own, whose part of the guard is written anew for each test. */
let launcher: string;
beforeAll(async () => {
	const whole = await hookRuntime();
	const folder = join(dirname(dirname(whole)), `0.0.0-${uniqueHex(8)}`);
	cpSync(dirname(whole), folder, { recursive: true, verbatimSymlinks: true });
	launcher = join(folder, basename(whole));
});
afterAll(() => rmSync(dirname(launcher), { recursive: true, force: true }));

/** Puts a line before another one. */
function insert(line: string, at: number): void {
	writeFileSync(join(dirname(launcher), 'hand-over'), source.toSpliced(at, 0, line).join('\n'));
}

const WORDS = 'Not lost, not twice.';

it('the lines of the handing over are found', () => {
	expect(lines.length).toBeGreaterThan(20);
	expect(lines.map(({ text }) => text)).toContain('set -C');
});

it.each(lines)('a kill before “$text” loses no message, and repeats none unmarked', async ({ text, at }) => {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.send(WORDS);
	insert('kill -9 $$', at);
	const killed = worker.hook({ launcher });
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
	insert(line, source.indexOf("\ttrap '' PIPE"));
	expect(worker.hook({ launcher, env })).toEqual({ status: 0, stdout: '', stderr: '' });
	expect(existsSync(join(worker.box, 'inbox', `${id}.md`))).toBe(true);
	expect(worker.hook().stdout).not.toContain('before');
});
