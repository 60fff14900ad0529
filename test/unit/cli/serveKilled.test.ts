import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { quoted } from '../../../src/base/shellWord.ts';
import { Questions } from '../../../src/core/questions/questions.ts';
import { PairReply, PairResult, StateReply } from '../../../src/protocol/deskApi.ts';
import { DriverId, SessionId } from '../../../src/protocol/names.ts';
import { eventually } from '../../support/eventually.ts';
import { address, hookedWorker } from '../../support/hookedWorker.ts';
import { servedTerminal } from '../../support/servedTerminal.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { NancyCommand } from './nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

const session = SessionId.parse('5e551011-0000-4000-8000-000000000003');
const DATA = process.env['XDG_DATA_HOME'] ?? '';

/** A question that a hook program holds, as the CLI starts it. */
async function held() {
	const folder = tempFolder();
	const agent = DriverId.parse('claude-code');
	const { workspace, launcher } = await hookedWorker(folder.path, { agent, session, agentVersion: '2.1.329' });
	const call = `set -- ${quoted(launcher)} claude-code PermissionRequest ask ${quoted(folder.path)}; trap 'exit 0' EXIT; . "$1"`;
	const holder = spawn('sh', ['-c', call], {
		env: {
			PATH: process.env['PATH'],
			TMPDIR: folder.path, // not above the data folder
			NANCY_HOOK_SESSION: session,
			NANCY_HOOK_PID: String(process.pid),
			NANCY_HOOK_ATTENDED: '1',
			NANCY_HOOK_PROJECT: folder.path,
		},
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	const asked = { session_id: session, hook_event_name: 'PermissionRequest', cwd: folder.path };
	holder.stdin.end(JSON.stringify({ ...asked, tool_name: 'Bash', tool_input: { command: 'ls' } }));
	const desk = new Questions(workspace.own);
	const printed = text(holder.stdout);
	const { question } = await eventually('the question', async () => (await desk.open())[0]);
	return {
		folder,
		holder,
		desk,
		question,
		printed,
		isWaiting: () => holder.exitCode === null && holder.signalCode === null,
		[Symbol.asyncDispose]: async () => {
			holder.kill('SIGKILL');
			if (holder.exitCode === null && holder.signalCode === null) await once(holder, 'close');
			rmSync(desk.folder, { recursive: true, force: true });
			await folder.remove();
		},
	};
}

/** `nancy serve` with one phone that was let in. */
async function serving(cwd: string) {
	const served = await servedTerminal(nancy, cwd);
	const { ask, code } = served;
	const { request } = PairReply.parse((await ask('/api/v1/pair', { code, name: 'Phone', scope: 'answer' })).json);
	await served.letIn('answer');
	const paired = PairResult.parse((await ask('/api/v1/pair/result', { request })).json);
	if (paired.is !== 'in') throw new Error(paired.is);
	const { token } = paired;
	return {
		...served,
		token,
		request,
		asked: async () => {
			const { state } = await eventually('the question at the desk', async () => {
				const reply = StateReply.parse((await ask('/api/v1/state', undefined, token)).json);
				return reply.state.questions.length > 0 && reply;
			});
			return state.questions[0]!;
		},
	};
}

it('a desk that is killed while a question is open answers nothing: the question waits on, and the next desk has it, for new devices alone', async () => {
	await using asked = await held();
	await using first = await serving(asked.folder.path);
	await first.asked();
	process.kill(first.screen.pid, 'SIGKILL');
	await first.screen.ended;
	expect(asked.isWaiting()).toBe(true);
	expect(await asked.desk.open()).toMatchObject([
		{ question: { id: asked.question.id }, answer: undefined, outcome: undefined },
	]);
	await using next = await serving(asked.folder.path);
	const question = await next.asked();
	expect(question).toMatchObject({ id: asked.question.id, isOpen: true });
	expect((await next.ask('/api/v1/state', undefined, first.token)).status).toBe(401);
	expect(asked.isWaiting()).toBe(true);
	const { folder, digest } = question;
	const answer = { folder, digest, effect: 'once', words: '', chosen: [], nonce: 'n'.repeat(20) };
	expect((await next.ask(`/api/v1/questions/${question.id}/answer`, answer, next.token)).status).toBe(200);
	expect(JSON.parse(await asked.printed)).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'allow' } } });
});

it('no secret of a desk is in a file, an argument, an environment or on the screen, but for a code on its owner’s screen', async () => {
	await using asked = await held();
	await using desk = await serving(asked.folder.path);
	const secrets = [desk.token, desk.code, desk.request];
	const found = (text: string) => secrets.filter(secret => text.includes(secret));
	const question = await desk.asked();
	for (const pid of [desk.screen.pid, asked.question.holder.pid])
		for (const name of ['cmdline', 'environ'])
			expect(found(readFileSync(`/proc/${pid}/${name}`, 'latin1'))).toEqual([]);
	const { folder, digest } = question;
	const message = { folder, ...address, kind: 'feedback', text: 'Well done', nonce: 'n'.repeat(20) };
	expect((await desk.ask('/api/v1/messages', message, desk.token)).status).toBe(200);
	const answer = { folder, digest, effect: 'no', words: 'No.', chosen: [], nonce: 'n'.repeat(21) };
	expect((await desk.ask(`/api/v1/questions/${question.id}/answer`, answer, desk.token)).status).toBe(200);
	await asked.printed;
	const files = [asked.folder.path, DATA, nancy.configFolder].flatMap(place =>
		existsSync(place)
			? readdirSync(place, { recursive: true, encoding: 'utf8' }).map(name => join(place, name))
			: [],
	);
	// The workspace's records, and the desk's own.
	expect(files.some(file => file.includes('/.nancy/'))).toBe(true);
	expect(files.some(file => file.endsWith('desk/devices.json'))).toBe(true);
	for (const file of files)
		if (statSync(file, { throwIfNoEntry: false })?.isFile())
			expect([file, found(readFileSync(file, 'latin1'))]).toEqual([file, []]);
	expect(found(desk.screen.history())).toEqual([desk.code]);
});
