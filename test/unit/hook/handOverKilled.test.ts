import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessageId } from '../../../src/protocol/names.ts';
import { eventually } from '../../support/eventually.ts';
import { address } from '../../support/hookedWorker.ts';
import { HandOverRuntime } from '../../support/handOverRuntime.ts';
import { longIf } from '../../support/long.ts';
import { PreparedWorker } from '../../support/preparedWorker.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const { source } = HandOverRuntime;
const first = source.findIndex(text => text.startsWith('# The tests put a kill')) + 1;
const lines = source
	.slice(first)
	.map((text, index) => ({ text: text.trim(), at: first + index }))
	.filter(({ text }) => text !== '' && !text.startsWith('#'));
/** Before the first step: what is put here is part of all of them. */
const begin = first;
/** The message is claimed, and nothing is sealed. */
const isClaimed = source.findIndex(text => text.startsWith('$SIG{PIPE}'));

let runtime: HandOverRuntime;
beforeAll(async () => {
	runtime = await HandOverRuntime.make();
});
afterAll(() => runtime[Symbol.dispose]());

const WORDS = 'Not lost, not twice.';

it('the lines of the handing over are found', () => {
	expect(lines.length).toBeGreaterThan(20);
	expect(lines.map(({ text }) => text)).toContain('rename $message, $claim or exit 3;');
	expect(isClaimed).toBeGreaterThan(first);
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
	const killed = folder.file('killed');
	runtime.insert(`mkdir '${killed}'; kill 9, $$;`, at);
	const { stdout } = worker.hook({ launcher: runtime.launcher });
	// These lines are not reached if all goes well.
	if (!existsSync(killed)) expect(text).toMatch(/^(?:give_back\(\);|remove\(\$filed.*|exit [03];|})$/);
	await expectHandedOver(worker, id, stdout);
});

it('a message is said in the very tick in which its guard was started, whatever the fraction of the uptime', async () => {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	await worker.send(WORDS);
	// As a number, 1024.09 * 100 is less than 102409.
	writeFileSync(folder.file('uptime'), '1024.09 2000.00\n');
	runtime.replace(
		`open my $file, '<', '/proc/uptime'`,
		`$ENV{nancy_ticks} = 102409; open my $file, '<', '${folder.file('uptime')}'`,
	);
	expect(worker.hook({ launcher: runtime.launcher }).stdout).toContain(WORDS);
});

/** Counts the calls of the system that change something, and has one of them end otherwise. `really` makes the call. */
const counting = (n: number, then: string, file: string) => {
	const replaced = (name: string, args: string) =>
		`*CORE::GLOBAL::${name} = sub { my @a = @_; step(sub { CORE::${name}(${args}) }) };`;
	return [
		'BEGIN {',
		`my $n = 0; sub step { my ($really) = @_; $n++; open my $c, '>', '${file}'; print $c $n; close $c; if ($n == ${n}) { ${then} } $really->() }`,
		replaced('rename', '$a[0], $a[1]'),
		replaced('link', '$a[0], $a[1]'),
		replaced('utime', '$a[0], $a[1], $a[2]'),
		// What is printed cannot be printed and fail.
		'*CORE::GLOBAL::syswrite = sub { my @a = @_; fileno $a[0] == 1 ? CORE::syswrite($a[0], $a[1]) : step(sub { CORE::syswrite($a[0], $a[1]) }) };',
		'*CORE::GLOBAL::unlink = sub { my $a = @_ ? $_[0] : $_; step(sub { CORE::unlink($a) }) };',
		'}',
	].join(' ');
};
const CALLS = 18;

async function withCall(n: number, then: string): Promise<number> {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.send(WORDS);
	const COUNT = folder.file('count');
	runtime.insert(counting(n, then, COUNT), 0);
	const { stdout } = worker.hook({ launcher: runtime.launcher });
	await expectHandedOver(worker, id, stdout);
	return Number(readFileSync(COUNT, 'utf8'));
}

it('a prepared message takes so many calls that change something', async () => {
	expect(await withCall(0, '')).toBe(CALLS);
});

describe.each(Array.from({ length: CALLS }, (_, index) => index + 1))('call %i of a prepared message', n => {
	const isAmongOthers = n % 3 !== 1;
	it.each([
		['fails', 'return 0'],
		['does its work and fails', '$really->(); return 0'],
		['does its work, and the program is killed', '$really->(); kill 9, $$'],
		['does its work, and the guard is killed too', '$really->(); kill 9, getppid, $$'],
	])('loses no message, and repeats none unmarked, if it %s', longIf(isAmongOthers), async (_, then) => {
		await withCall(n, then);
	});
});

it.each([
	['before the seal is undone', 'sub remove { kill 9, $$ }'],
	['after that', 'sub give_back { kill 9, $$ }'],
])('a kill %s, when nobody reads the answer, loses nothing', async (_, line) => {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.send(WORDS);
	runtime.insert(`${line} sub is_awaited { 0 }`, begin);
	const { status, stdout } = worker.hook({ launcher: runtime.launcher });
	expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
	await expectHandedOver(worker, id, stdout);
});

it('a message that is taken back while the program has claimed it is printed to nobody', async () => {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.send(WORDS);
	const [go, stopped] = [folder.file('go'), folder.file('stopped')];
	runtime.insertShell(`: >"${stopped}"; until [ -e "${go}" ]; do sleep 0.05; done`, isClaimed);
	const said = worker.hookBeside({ launcher: runtime.launcher });
	await eventually('it stops', () => existsSync(stopped));
	await worker.workspace.mailbox(address).withdraw(id);
	writeFileSync(go, '');
	expect(await said).toBe('');
	expect(worker.hook().stdout).toBe('');
	const { messages } = await worker.workspace.mailbox(address).list();
	expect(messages).toMatchObject([{ id, state: 'withdrawn', author: { is: 'human' } }]);
});

it('a message that the program is about to print is not taken back', async () => {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.send(WORDS);
	const [go, stopped] = [folder.file('go'), folder.file('stopped')];
	const line = source.findIndex(text => text.startsWith('link ')) + 1;
	runtime.insertShell(`: >"${stopped}"; until [ -e "${go}" ]; do sleep 0.05; done`, line);
	const said = worker.hookBeside({ launcher: runtime.launcher });
	await eventually('it stops', () => existsSync(stopped));
	await expect(worker.workspace.mailbox(address).withdraw(id)).rejects.toMatchObject({ code: 'not-queued' });
	await worker.workspace.mailbox(address).recover();
	writeFileSync(go, '');
	expect(await said).toContain(WORDS);
	await expectHandedOver(worker, id, WORDS);
});

it.each([
	['the CLI no longer waits', 'select undef, undef, undef, 0.7;', { NANCY_HOOK_TIMEOUT: '1' }],
	['the CLI is gone', '$ENV{nancy_caller} = 1;', {}],
	['the guard is gone', '$guard = 1;', {}],
])('a message goes back unmarked when %s', async (_, line, env) => {
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.send(WORDS);
	runtime.insert(line, isClaimed);
	expect(worker.hook({ launcher: runtime.launcher, env })).toEqual({ status: 0, stdout: '', stderr: '' });
	expect(existsSync(join(worker.box, 'inbox', `${id}.md`))).toBe(true);
	expect(worker.hook().stdout).not.toContain('before');
});

it.each([
	['cannot be started', 'command exec /nonexistent/perl 2>/dev/null'],
	['does not understand the program', "command exec /usr/bin/perl -e 'no such word' 2>/dev/null"],
	['lacks the program', 'command exec /usr/bin/perl -f "$nancy_place/gone.pl" 2>/dev/null'],
])('a message is handed over by the hook’s program where Perl %s', async (_, line) => {
	using without = await HandOverRuntime.make();
	await using folder = tempFolder('nancy ');
	await using worker = await PreparedWorker.in(folder.path);
	const id = await worker.send(WORDS);
	const start = HandOverRuntime.guard.findIndex(text => text.includes('exec /usr/bin/perl'));
	without.insertInGuard(line, start);
	const { stdout } = worker.hook({ launcher: without.launcher });
	expect(stdout).toContain(WORDS);
	await expectHandedOver(worker, id, stdout);
});
