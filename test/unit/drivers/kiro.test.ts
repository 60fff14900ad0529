import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { drivers } from '../../../src/drivers/index.ts';
import { AgentsOutput } from '../../../src/operations/listAgents.ts';
import { InboxOutput } from '../../../src/protocol/output/messages.ts';
import { AskingOutput } from '../../../src/protocol/output/questions.ts';
import { eventually } from '../../support/eventually.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { terminal } from '../../support/terminal.ts';
import { NancyCommand } from '../cli/nancyCommand.ts';

/** Nancy's own programs and a double of Kiro CLI, which cannot be installed here: docs/agents/kiro.md says what the double is made from. */
const DOUBLE = join(import.meta.dirname, '../../double/kiro-cli.mjs');

let nancy: NancyCommand;
let folder: TempFolder;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
	folder = tempFolder();
	for (const each of ['bin', 'project']) mkdirSync(folder.file(each));
	const run = `#!/bin/sh\nexec '${process.execPath}' '${DOUBLE}' "$@"\n`;
	writeFileSync(folder.file('bin', 'kiro-cli'), run, { mode: 0o755 });
});
afterAll(async () => {
	await nancy[Symbol.asyncDispose]();
	await folder.remove();
});

const place = () => ({
	cwd: folder.file('project'),
	env: {
		HOME: folder.path,
		PATH: `${folder.file('bin')}:/usr/bin:/bin`,
		XDG_DATA_HOME: nancy.dataFolder,
		XDG_CONFIG_HOME: folder.file('.config'),
	},
});
const call = (...args: string[]) => nancy.start(args, place());
const json = async (...args: string[]): Promise<unknown> => JSON.parse((await call(...args, '--json')).stdout);
const shown = (...args: string[]) => terminal(process.execPath, [nancy.program, ...args], place());
const idle = () => call('wait', 'build', '--until', 'idle', '--timeout', '600');
/** The file of the double's only conversation. */
const conversation = () => folder.file(globSync('.kiro/sessions/cli/*.jsonl', { cwd: folder.path })[0] ?? '');

it('offers what nobody has tried after all that was, and says so', async () => {
	const { agents } = AgentsOutput.parse(await json('agents'));
	const untried = drivers.filter(({ knownFrom }) => knownFrom === 'documents').map(({ id }) => id);
	expect(untried).toContain('kiro');
	expect(agents.slice(-untried.length).map(({ id, isUntried }) => [id, isUntried])).toEqual(
		untried.map(id => [id, true]),
	);
	expect(agents.filter(({ isUntried }) => isUntried)).toHaveLength(untried.length);
	expect(agents.find(({ id }) => id === 'kiro')).toMatchObject({ found: { version: '2.16.0' }, installCommand: '' });
	expect((await call('agents')).stdout).toContain('kiro  Kiro (not tried with Nancy) 2.16.0');
});

it('runs a turn, asks at the desk, is woken, and goes on with its conversation', async () => {
	const prompt = 'The door is blue. [[options]] [[sh:touch made]] [[text:All said]]';
	const first = shown('orchestrate', 'build', '--agent', 'kiro', '--model', 'auto', '--prompt', prompt);
	await first.waitForText(/^Options: --model=auto/m);
	await first.waitForText(/touch made[^]*Your answer/);
	const [asked] = await eventually('the question', async () => {
		const { questions } = AskingOutput.parse(await json('questions'));
		return questions.length > 0 ? questions : undefined;
	});
	expect(asked?.question).toMatchObject({ driver: 'kiro', tool: 'execute', body: 'touch made' });
	const answering = shown('answer', asked?.question.id ?? '', 'yes');
	await answering.ended;
	await answering.close();
	await first.waitForText(/^All said/m);
	expect(globSync('made', { cwd: folder.file('project') })).toEqual(['made']);
	await idle();
	const { stdout: sent } = await call('send', 'build', 'Look. [[text:Looked]]');
	await first.waitForText(/^Looked/m);
	const { messages } = InboxOutput.parse(await json('inbox'));
	expect(messages).toMatchObject([
		{ id: sent.trim(), state: 'delivered', receipt: { rung: 'waiter', driver: 'kiro' } },
	]);
	await idle();
	first.type('/exit\r');
	expect(await first.ended).toBe(0);
	await first.close();

	const again = shown('orchestrate', 'build', '--resume', '--prompt', 'Which door? [[recall]]');
	await again.waitForText(/^Before: The door is blue\./m);
	await idle();
	again.type('/exit\r');
	await again.ended;
	await again.close();
});

it.each([
	[
		'Kiro refuses',
		() => writeFileSync(`${conversation()}.killed`, ''),
		/cannot go on: Internal error: Failed to start session: Session is active in another process \(PID 26121\)\. Start another worker\./,
	],
	[
		'Kiro ends without a word',
		() => rmSync(conversation()),
		/cannot go on: the agent has ended without a word \(code 0\)\. Start another worker\./,
	],
])('says what to do if %s when it is to load a conversation', async (_what, prepare, words) => {
	prepare();
	const again = shown('orchestrate', 'build', '--resume', '--prompt', 'Which door?');
	expect(await again.ended).toBe(1);
	// A terminal breaks lines anywhere.
	await eventually('the reason', () => words.test(again.history().replaceAll('\n', '')));
	await again.close();
});
