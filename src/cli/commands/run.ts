import { basename, resolve } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { errorText, NancyError } from '../../base/errors.ts';
import { identify } from '../../base/liveness.ts';
import { agentEnvironment } from '../../core/driver/agentEnvironment.ts';
import { permit } from '../../core/asker/permit.ts';
import { LogWriter } from '../../core/delegates/logWriter.ts';
import { progress } from '../../core/delegates/progress.ts';
import { StatusWriter } from '../../core/delegates/statusWriter.ts';
import { beginSwarmRun, swarmFeature, swarmFiles } from '../../core/delegates/swarm.ts';
import { isSwarmWorker } from '../../core/delegates/swarmMark.ts';
import type { HeadlessEvent } from '../../core/driver/headless.ts';
import { headlessOf, prepareHeadless } from '../../core/driver/launch.ts';
import { sealStart } from '../../core/sessions/sealedAgents.ts';
import type { Ending } from '../../process/headlessRun.ts';
import { RunOutput } from '../../protocol/output/delegates.ts';
import { DelegateId, DelegateStatus, Limits } from '../../protocol/delegate.ts';
import { SessionId } from '../../protocol/names.ts';
import type { SwarmWorker } from '../beginAlone.ts';
import { command, type Answer, type Context } from '../command.ts';
import { eventLine } from '../../core/driver/eventLine.ts';
import { ExitCode } from '../failure.ts';
import { featureOf, limitsOf, workingFolder } from '../headlessOptions.ts';
import { programContext } from '../../operations/programContext.ts';
import { findOrChooseWorkspace } from '../../operations/place.ts';
import { requireWritable } from '../outputFile.ts';
import { readText, readTextFile } from '../readText.ts';
import { withCancel } from '../withCancel.ts';

const Input = z.object({
	headless: z._default(z.boolean(), false),
	delegate: z.optional(DelegateId),
	prompt: z.optional(z.string()),
	'prompt-file': z.optional(z.string()),
	stdin: z._default(z.boolean(), false),
	'output-file': z.optional(z.string()),
	'working-dir': z.optional(z.string()),
	agent: z.optional(z.string()),
	model: z.optional(z.string().check(z.minLength(1))),
	permissions: z.optional(z.string()),
	timeout: z.optional(z.string()),
	'idle-timeout': z.optional(z.string()),
	extra: z.array(z.string()),
});
type Input = z.infer<typeof Input>;

export const run = command(
	{
		name: 'run',
		summary: 'run an agent once, without a terminal, and print its answer',
		details: [
			'Prints what the agent does as it does it, then its answer. For scripts, xargs and CI: nothing is asked. ' +
				'Actions that need a permission are denied and listed. The exit code tells success (0), failure (1), timeout (4) and ' +
				'cancelled by SIGINT or SIGTERM (130).',
			'--delegate is what Nancy itself calls to run a delegate of the queue.',
		],
		positionals: [],
		options: {
			headless: { help: 'without a terminal; the only way there is' },
			prompt: { value: 'TEXT', short: 'p', help: 'the prompt' },
			'prompt-file': { value: 'FILE', help: 'file with the prompt' },
			stdin: { help: 'reads the prompt from standard input' },
			'output-file': { value: 'FILE', help: 'also writes the answer there, whole or not at all' },
			'working-dir': { value: 'FOLDER', help: 'folder to work in; default: the current one' },
			agent: { value: 'AGENT', help: 'the agent; default: the first found' },
			model: { value: 'MODEL', help: 'the model, as the agent names it' },
			permissions: { value: 'MODE', help: 'the permission mode, as the agent names it' },
			timeout: { value: 'SECONDS', help: 'longest time; default 1800' },
			'idle-timeout': { value: 'SECONDS', help: 'longest time without any output; default 600' },
			delegate: { value: 'ID', help: 'runs this delegate of the workspace (for Nancy itself)' },
		},
		extra: 'arguments for the agent, passed on unchanged; one that replaces --permissions needs the widest mode',
		examples: [
			['nancy run --headless --prompt-file task.md --output-file result.txt', 'the answer is in the file, too'],
			['git diff | nancy run --headless --stdin --permissions plan', 'the prompt comes through a pipe'],
		],
	},
	Input,
	async (input, context) => {
		if (input.delegate !== undefined) {
			const { runOfQueue } = await import('../runOfQueue.ts');
			return runOfQueue(input.delegate, context);
		}
		if (!input.headless) {
			throw new NancyError('bad-usage', 'add --headless; with a terminal, nancy orchestrate starts an agent');
		}
		return runOnce(input, context);
	},
);

async function runOnce(input: Input, context: Context): Promise<Answer> {
	const [{ runSeen }, agents, starting, { noteSeen }] = await Promise.all([
		import('../../process/seenRun.ts'),
		import('../../operations/agents.ts'),
		import('../../operations/starting.ts'),
		import('../../operations/noteSeen.ts'),
	]);
	for (const option of ['prompt-file', 'output-file'] as const) {
		const file = input[option];
		if (file !== undefined) permit(context.asker, { is: option, file });
	}
	const cwd = workingFolder(input['working-dir'], context);
	const where = programContext(findOrChooseWorkspace(context), context);
	const settings = await where.readSettings(cwd);
	const { driver, agent } = await agents.chooseAgent(context.asker, context.env, input.agent);
	const asking = { asker: context.asker, context: where, settings };
	const limits = Limits.parse(starting.limitsFor(limitsOf(input), asking));
	const outputFile = input['output-file'] && resolve(context.cwd, input['output-file']);
	await starting.permitStart(driver, [cwd], asking);
	await noteSeen(context.asker, driver, where, cwd);
	const prompt = await promptOf(input, context);
	if (outputFile !== undefined) await requireWritable(outputFile);
	starting.refuseExtraFromAgent(driver, input.extra, asking);
	const format = headlessOf(driver);
	const launch = await prepareHeadless(driver, {
		session: SessionId.parse(crypto.randomUUID()),
		resume: undefined,
		model: input.model,
		permissions: starting.permissionMode(driver, input.permissions, asking),
		extra: input.extra,
		prompt,
		version: agent.version,
		workspaceFolder: cwd,
		// Nobody steers this run.
		hooks: undefined,
		env: context.env,
	});
	const feature = isSwarmWorker(context.env, settings)
		? swarmFeature(featureOf(input['prompt-file']) ?? `worker-${crypto.randomUUID().slice(0, 8)}`)
		: undefined;
	const record = await recordOf(feature && { folder: cwd, feature }, prompt, context);
	const show = (text: string) => {
		if (!context.wantsJson) context.writeLine(text);
	};
	const ending = await withCancel(signal =>
		runSeen(
			starting.settingsToSee(driver, asking),
			{
				command: agent.executable,
				args: launch.args,
				cwd,
				env: agentEnvironment(driver, {
					launchEnv: launch.env,
					inherited: context.env,
					cwd,
					program: agent.executable,
					hasHooks: false,
					isHeadless: true,
					worker: undefined,
				}),
				stdin: launch.stdin,
				mark: crypto.randomUUID(),
			},
			format,
			{ wallMs: limits.wallSeconds * 1000, idleMs: limits.idleSeconds * 1000 },
			{
				onStart: process => sealStart(where.dataFolder, process),
				onEvent: event => {
					record.note(event);
					const line = eventLine(event);
					if (line === undefined) return;
					show(line);
					record.say(`${line}\n`);
				},
				onNoise: text => {
					context.note(text.trimEnd());
					record.say(text.endsWith('\n') ? text : `${text}\n`);
				},
			},
			signal,
		),
	);
	const result = ending.is === 'result' ? ending.result : undefined;
	const output = result?.text ?? '';
	const isEmpty = result !== undefined && !result.failure && output.trim() === '';
	const unwritten = () => writeAnswer(outputFile, output);
	const reason = isEmpty ? 'it ended without an answer' : (reasonOf(ending) ?? (await unwritten()));
	const status = await record.end(output, reason);
	const { tool_calls: toolCalls, denied, session } = status;
	if (reason !== undefined) context.note(reason);
	const json = RunOutput.parse({
		ok: reason === undefined,
		output,
		...(reason !== undefined && { reason }),
		toolCalls,
		denied,
		session,
		...(result && { inputTokens: result.inputTokens, outputTokens: result.outputTokens, costUsd: result.costUsd }),
	});
	// The agent's last text was already shown.
	return { json, text: '', exitCode: reason === undefined ? ExitCode.ok : exitCodeOf(ending.is) };
}

/** Why the answer could not be written. The command's output has the answer all the same. */
async function writeAnswer(file: string | undefined, answer: string): Promise<string | undefined> {
	try {
		if (file !== undefined) await writeFileAtomic(file, answer, { mode: 0o666 & ~process.umask() });
		return undefined;
	} catch (error) {
		return `the answer could not be written: ${errorText(error)}`;
	}
}

/** The files of a run beside its answer: none, or those of a swarm's worker. */
async function recordOf(worker: SwarmWorker | undefined, prompt: string, context: Context) {
	const files = worker && swarmFiles(worker.folder, worker.feature);
	const status = DelegateStatus.parse({
		task_id: files ? basename(files.base) : 'run',
		status: 'running',
		started_at: new Date().toISOString(),
		iteration: 1,
		runner: identify(process.pid),
	});
	const writer = new StatusWriter(status, async now => {
		await files?.writeStatus(now);
	});
	if (files) {
		const { beginAlone } = await import('../beginAlone.ts');
		await beginAlone(worker, context, () => beginSwarmRun(files, prompt, status));
	}
	// The log is only for people. A disk that refuses it does not end the run.
	const log = files && new LogWriter(text => files.appendLog(text));
	return {
		note: (event: HeadlessEvent) => writer.change(progress(status, event)),
		say: (text: string) => log?.say(text),
		end: async (output: string, reason: string | undefined): Promise<DelegateStatus> => {
			const { runner: _gone, ...kept } = status;
			const ended = { ...kept, status: reason === undefined ? 'done' : 'failed' } as const;
			await Promise.all([writer.close(), log?.settle()]);
			try {
				await files?.writeOutput(output);
				await files?.writeStatus({ ...ended, ended_at: new Date().toISOString() });
				await files?.writeDone(reason?.split('\n')[0]);
			} catch (error) {
				// The answer counts more than its copy.
				context.note(`the swarm does not get to know that it has ended: ${errorText(error)}`);
			}
			return { ...ended, reported: true };
		},
	};
}

function reasonOf(ending: Ending): string | undefined {
	switch (ending.is) {
		case 'result':
			return ending.result.failure?.reason;
		case 'timeout':
			return ending.limit === 'wall' ? 'it took too long' : 'nothing came from it for too long';
		case 'cancelled':
			return 'cancelled';
		case 'no-result':
			return ending.reason;
	}
}

function exitCodeOf(ending: Ending['is']): number {
	if (ending === 'timeout') return ExitCode.timeout;
	return ending === 'cancelled' ? ExitCode.cancelled : ExitCode.failed;
}

async function promptOf(input: Input, context: Context): Promise<string> {
	const file = input['prompt-file'];
	const given = [input.prompt !== undefined, file !== undefined, input.stdin].filter(Boolean).length;
	if (given !== 1) throw new NancyError('bad-usage', 'give one of --prompt, --prompt-file and --stdin');
	if (file !== undefined) return readTextFile(resolve(context.cwd, file));
	return readText([input.prompt ?? '-'], context.stdin);
}
