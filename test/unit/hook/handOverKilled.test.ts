import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MessageId } from '../../../src/protocol/names.ts';
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

/** Whatever has become of the first delivery: the message is in one place, handed over, and twice only if it says so. */
async function expectHandedOver(worker: PreparedWorker, id: MessageId, first: string): Promise<void> {
	const places = ['inbox', 'claimed', 'delivered'].flatMap(state => {
		const names = readdirSync(join(worker.box, state));
		return names.filter(name => name.endsWith(`${id}.md`)).map(() => state);
	});
	expect(places).toHaveLength(1);
	const said = [first, worker.hook().stdout, worker.hook().stdout].filter(stdout => stdout.includes(WORDS));
	expect(said.length).toBeGreaterThan(0);
	// What was printed but not filed is repeated, and says so.
	for (const again of said.slice(1)) expect(again).toContain('You may have received this message before');
	expect(said.length).toBeLessThan(3);
	const { messages, problems } = await worker.workspace.mailbox(address).list();
	expect(problems).toEqual([]);
	expect(messages).toMatchObject([{ id, state: 'delivered', author: { is: 'human' }, receipt: { id } }]);
	await worker.workspace.mailbox(address).recover();
	expect(worker.workspace.seals(address).unfiledIds()).toEqual([]);
}

it.each(lines)('a kill before “$text” loses no message, and repeats none unmarked', async ({ text, at }) => {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.send(WORDS);
	runtime.insert('kill -9 $$', at);
	const { status, stdout } = worker.hook({ launcher: runtime.launcher });
	// These lines are not reached if all goes well.
	if (status !== null) expect(text).toMatch(/^(?:give_back|run rm -f "\$nancy_filed".*|set \+C|return|exit 0|}|fi)$/);
	await expectHandedOver(worker, id, stdout);
});

/** Counts the programs in a file, because some of them run in shells of their own. */
const counting = (n: number, then: string) =>
	[
		'run() {',
		'IFS= read -r n <"$COUNT"; n=$((n + 1)); command echo $n >|"$COUNT"',
		'really() { LC_ALL=C PATH="/bin:/usr/bin:$PATH" "$@" 2>/dev/null; }',
		`if [ $n -eq ${n} ]; then ${then}; else really "$@"; fi; }`,
	].join('\n');
const afterRun = source.findIndex(line => line.startsWith('run() {')) + 1;
const PROGRAMS = 9;

async function withProgram(n: number, then: string): Promise<number> {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.send(WORDS);
	const COUNT = folder.file('count');
	writeFileSync(COUNT, '0\n');
	runtime.insert(counting(n, then), afterRun);
	const { stdout } = worker.hook({ launcher: runtime.launcher, env: { COUNT } });
	await expectHandedOver(worker, id, stdout);
	return Number(readFileSync(COUNT, 'utf8'));
}

it('a prepared message takes so many programs', async () => {
	expect(await withProgram(0, ':')).toBe(PROGRAMS);
});

describe.each(Array.from({ length: PROGRAMS }, (_, index) => index + 1))('program %i of a prepared message', n => {
	it.each([
		['fails', 'return 1'],
		['does its work and fails', 'really "$@"; return 1'],
		['does its work, and the shell is killed', 'really "$@"; kill -9 $$'],
	])('loses no message, and repeats none unmarked, if it %s', async (_, then) => {
		await withProgram(n, then);
	});
});

it.each([
	['before the seal is undone', 'run() { case $* in rm*) kill -9 $$ ;; *) LC_ALL=C "$@" 2>/dev/null ;; esac; }'],
	['after that', 'give_back() { kill -9 $$; }'],
])('a kill %s, when nobody reads the answer, loses nothing', async (_, line) => {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.send(WORDS);
	runtime.insert(`${line}\nlook_at() { parent=1; }`, source.indexOf("\ttrap '' PIPE"));
	const { status, stdout } = worker.hook({ launcher: runtime.launcher });
	expect({ status, stdout }).toEqual({ status: null, stdout: '' });
	await expectHandedOver(worker, id, stdout);
});

it('a message that is taken back while the shell has claimed it is printed to nobody', async () => {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.send(WORDS);
	const [go, stopped] = [folder.file('go'), folder.file('stopped')];
	runtime.insert(`: >"${stopped}"; until [ -e "${go}" ]; do sleep 0.05; done`, source.indexOf("\ttrap '' PIPE"));
	const said = worker.hookBeside({ launcher: runtime.launcher });
	await vi.waitUntil(() => existsSync(stopped), { timeout: 20_000 });
	await worker.workspace.mailbox(address).withdraw(id);
	writeFileSync(go, '');
	expect(await said).toBe('');
	expect(worker.hook().stdout).toBe('');
	const { messages } = await worker.workspace.mailbox(address).list();
	expect(messages).toMatchObject([{ id, state: 'withdrawn', author: { is: 'human' } }]);
});

it('a message that the shell is about to print is not taken back', async () => {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.send(WORDS);
	const [go, stopped] = [folder.file('go'), folder.file('stopped')];
	const line = source.findIndex(text => text.startsWith('\trun ln')) + 1;
	runtime.insert(`: >|"${stopped}"; until [ -e "${go}" ]; do sleep 0.05; done`, line);
	const said = worker.hookBeside({ launcher: runtime.launcher });
	await vi.waitUntil(() => existsSync(stopped), { timeout: 20_000 });
	await expect(worker.workspace.mailbox(address).withdraw(id)).rejects.toMatchObject({ code: 'not-queued' });
	await worker.workspace.mailbox(address).recover();
	writeFileSync(go, '');
	expect(await said).toContain(WORDS);
	await expectHandedOver(worker, id, WORDS);
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
