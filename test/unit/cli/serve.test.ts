import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { quoted } from '../../../src/base/shellWord.ts';
import { Questions } from '../../../src/core/questions/questions.ts';
import { PairReply, PairResult, StateReply } from '../../../src/protocol/deskApi.ts';
import { DriverId, SessionId } from '../../../src/protocol/names.ts';
import { eventually } from '../../support/eventually.ts';
import { address, hookedWorker } from '../../support/hookedWorker.ts';
import { askServer, bearer } from '../../support/servedDesk.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { terminal } from '../../support/terminal.ts';
import { callInTool } from './inTool.ts';
import { NancyCommand } from './nancyCommand.ts';
import { Project } from './project.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

const session = SessionId.parse('5e551011-0000-4000-8000-000000000002');

it('serves a desk at which a device that was let in answers a held question and sends a message, until Ctrl-C', async () => {
	await using folder = tempFolder();
	const agent = DriverId.parse('claude-code');
	const { workspace, launcher } = await hookedWorker(folder.path, { agent, session, agentVersion: '2.1.329' });
	const call = `set -- ${quoted(launcher)} claude-code PermissionRequest ask ${quoted(folder.path)}; trap 'exit 0' EXIT; . "$1"`;
	const holder = spawn('sh', ['-c', call], {
		env: {
			PATH: process.env['PATH'],
			NANCY_HOOK_SESSION: session,
			NANCY_HOOK_PID: String(process.pid),
			NANCY_HOOK_ATTENDED: '1',
			NANCY_HOOK_PROJECT: folder.path,
		},
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	const input = {
		session_id: session,
		hook_event_name: 'PermissionRequest',
		tool_name: 'Bash',
		tool_input: { command: 'ls' },
	};
	holder.stdin.end(JSON.stringify({ ...input, cwd: folder.path }));
	const printed = text(holder.stdout);
	const desk = new Questions(workspace.own);
	const env = nancy.environment({ XDG_DATA_HOME: process.env['XDG_DATA_HOME'] ?? '' }) as Record<string, string>;
	const program = folder.file('tell');
	writeFileSync(program, `#!/bin/sh\necho "$*" >> '${folder.file('told')}'\n`, { mode: 0o755 });
	// Not in the workspace, where somebody else may have written it.
	await using home = tempFolder();
	const config = home.file('config', 'nancy');
	mkdirSync(config, { recursive: true });
	writeFileSync(join(config, 'settings.json'), JSON.stringify({ delegates: { notify: program } }), { mode: 0o600 });
	env['XDG_CONFIG_HOME'] = home.file('config');
	const screen = terminal(process.execPath, [nancy.program, 'serve'], { cwd: folder.path, env });
	try {
		const shown = await screen.waitForText(/#pair=[\w-]{22}[^]*Ctrl-C/);
		const [, port = '', code = ''] = /127\.0\.0\.1:(\d+)\/#pair=([\w-]{22})/.exec(shown) ?? [];
		const origin = `http://127.0.0.1:${port}`;
		const ask = (path: string, body?: object, token?: string) =>
			askServer(Number(port), path, {
				...(body && { method: 'POST', body }),
				headers: { origin, ...bearer(token) },
			});
		expect((await ask('/')).text).toContain('<script type="module" src="a/');

		const begun = PairReply.parse((await ask('/api/v1/pair', { code, name: 'Phone', scope: 'answer' })).json);
		await screen.waitForText(new RegExp(`"Phone" wants[^]*${begun.number}[^]*Type view, feedback, answer or no`));
		screen.type('maybe\r');
		await screen.waitForText(/maybe[^]*Type view, feedback, answer or no/);
		screen.type('answer\r');
		const paired = PairResult.parse((await ask('/api/v1/pair/result', { request: begun.request })).json);
		if (paired.is !== 'in') throw new Error(paired.is);
		expect(paired).toMatchObject({ is: 'in', scope: 'answer' });

		const { state } = await eventually('the question at the desk', async () => {
			const reply = StateReply.parse((await ask('/api/v1/state', undefined, paired.token)).json);
			return reply.state.questions.length > 0 && reply;
		});
		const [question] = state.questions;
		// The file is there before its content is.
		const told = () => (existsSync(folder.file('told')) && readFileSync(folder.file('told'), 'utf8')) || undefined;
		expect(await eventually('the user’s program is told', told)).toBe(`${question?.id}\n`);
		expect(question).toMatchObject({ body: 'ls', task: address.task, worker: address.worker });
		const [shared, nonce] = [{ folder: question?.folder }, 'abcdefghijklmnop'];
		const message = { ...shared, ...address, kind: 'feedback', text: 'Well done', nonce };
		expect((await ask('/api/v1/messages', message, paired.token)).status).toBe(200);
		const { messages } = await workspace.mailbox(address).list(['queued']);
		expect(messages).toMatchObject([{ content: { text: 'Well done' }, author: { is: 'human', via: 'page' } }]);
		const { json: waiting } = await ask(
			`/api/v1/feedback?folder=${question?.folder}&task=build&worker=worker`,
			undefined,
			paired.token,
		);
		expect(waiting).toMatchObject({ messages: [{ text: 'Well done', state: 'queued' }] });

		const answer = {
			...shared,
			digest: question?.digest,
			effect: 'once',
			words: '',
			chosen: [],
			nonce: `${nonce}2`,
		};
		expect((await ask(`/api/v1/questions/${question?.id}/answer`, answer, paired.token)).status).toBe(200);
		expect(JSON.parse(await printed)).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'allow' } } });

		screen.type('devices\r');
		await screen.waitForText(/1 {2}Phone {2}answer {2}let in/);
		screen.type('revoke 1\r');
		await screen.waitForText(/Phone is out/);
		screen.type('revoke all\r');
		await screen.waitForText(/No browser is let in/);
		expect((await ask('/api/v1/state', undefined, paired.token)).status).toBe(401);
		screen.type('\x03');
		expect(await screen.ended).toBe(0);
		await expect(ask('/')).rejects.toThrow();
	} finally {
		await screen.close();
		holder.kill('SIGKILL');
		if (holder.exitCode === null && holder.signalCode === null) await once(holder, 'close');
		rmSync(desk.folder, { recursive: true, force: true });
	}
});

it('opens no port for an agent, a script, or an address of which others on the way can read', async () => {
	await using project = new Project();
	await project.addTask('build');
	const cwd = project.path;
	expect(await callInTool(nancy, 'nancy serve', { cwd })).toMatchObject({
		code: 5,
		stderr: expect.stringContaining('an agent may not open the desk for browsers'),
	});
	expect(await nancy.run(['serve'], { cwd })).toMatchObject({
		code: 5,
		stderr: expect.stringContaining('for a person in a terminal'),
	});
	expect(await nancy.runHere(['serve', '--at', 'http://desk.example.net'], { cwd })).toMatchObject({ code: 2 });
});
