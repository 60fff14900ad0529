import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { Questions } from '../../src/core/questions/questions.ts';
import type { Workspace } from '../../src/core/workspace/workspace.ts';
import { TaskName, WorkerName } from '../../src/protocol/names.ts';
import { DelegateCreatedOutput, DelegatesOutput, type DelegateOutput } from '../../src/protocol/output/delegates.ts';
import type { Question } from '../../src/protocol/question.ts';
import type { NancyCommand } from '../unit/cli/nancyCommand.ts';
import type { AgentLab } from './agentLab.ts';
import { deskOf } from './desk.ts';
import { eventually } from './eventually.ts';

/** A delegate of the lab's CLI, with the desk where it asks. Its permissions are “Ask me”, unless `args` name others. */
export async function askingDelegate(
	nancy: NancyCommand,
	lab: AgentLab & { nancy: Workspace },
	prompt: string,
	args: readonly string[] = [],
) {
	const shell = {
		cwd: lab.workspace.path,
		env: {
			...lab.env,
			PATH: [dirname(lab.agent.command), dirname(process.execPath), lab.env['PATH']].join(delimiter),
			// The CLI's own settings, and the seals of what is queued where the lab's hooks look.
			XDG_CONFIG_HOME: join(lab.home, '.config'),
			XDG_DATA_HOME: dirname(lab.nancy.own.dataFolder),
		},
	};
	const call = (...words: string[]) => nancy.start(words, shell);
	const permissions = args.includes('--permissions') ? [] : ['--permissions', 'ask-me'];
	const start = () => nancy.start(['delegate', '-', '--json', ...permissions, ...args], { ...shell, stdin: prompt });
	let started = await start();
	// A CLI that begins to tell its version on a busy machine.
	while (started.stderr.includes('did not answer within')) started = await start();
	expect(started.stderr).toBe('');
	const { id, worker } = DelegateCreatedOutput.parse(JSON.parse(started.stdout));
	const desk = new Questions(lab.nancy.own);
	const { answer, outcome } = deskOf(lab.nancy);
	const listed = async (...words: string[]): Promise<DelegateOutput> => {
		const { stdout, stderr } = await call('delegates', id, '--json', ...words);
		const [delegate] = DelegatesOutput.parse(JSON.parse(stdout)).delegates;
		if (!delegate) throw new Error(stderr);
		return delegate;
	};
	const [task = '', name = ''] = worker.split('/');
	return {
		id,
		worker,
		address: { task: TaskName.parse(task), worker: WorkerName.parse(name) },
		shell,
		call,
		desk,
		listed,
		asked: () => eventually('a question', async () => (await desk.ofDelegate(id))[0]),
		/** The question, or nothing if the delegate ended before it asked. */
		askedOrEnded: () =>
			eventually('a question or the end', async () => {
				const [question] = await desk.ofDelegate(id);
				if (question) return { question };
				return ['done', 'failed'].includes((await listed()).status) && { question };
			}),
		answer,
		outcome,
		ended: () => listed('--wait', '--timeout', '600'),
		made: () => existsSync(lab.workspace.file('made')),
		/** What the model has read last. */
		read: () => lab.model.requests.filter(({ hasTools }) => hasTools).at(-1)?.text ?? '',
	};
}

/** A delegate that asks before its time limit. On a busy machine, a limit may be over before the agent asks: the next is twice as long. */
export async function askingWithLimit<
	Run extends { lab: AsyncDisposable; askedOrEnded: () => Promise<{ question: Question | undefined }> },
>(begin: (limit: readonly string[]) => Promise<Run>) {
	for (let seconds = 8; ; seconds *= 2) {
		const run = await begin(['--timeout', `${seconds}`]);
		const { question } = await run.askedOrEnded();
		if (question) return { ...run, question };
		await run.lab[Symbol.asyncDispose]();
	}
}
