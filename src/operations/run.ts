import * as z from 'zod/mini';
import type { Asker } from '../core/asker/asker.ts';
import { permit } from '../core/asker/permit.ts';
import { swarmFeature } from '../core/delegates/swarm.ts';
import { isSwarmWorker } from '../core/delegates/swarmMark.ts';
import { agentEnvironment } from '../core/driver/agentEnvironment.ts';
import { eventLine } from '../core/driver/eventLine.ts';
import type { Driver } from '../core/driver/driver.ts';
import type { HeadlessEvent } from '../core/driver/headless.ts';
import { headlessOf, prepareHeadless } from '../core/driver/headlessOf.ts';
import type { FoundAgent } from '../core/driver/foundAgent.ts';
import type { LaunchHooks } from '../core/driver/launchPlace.ts';
import { sealStart } from '../core/sessions/sealedAgents.ts';
import type { Ending, HeadlessProgram, RunListener } from '../process/headlessRun.ts';
import { runSeen } from '../process/seenRun.ts';
import { Limits } from '../protocol/delegate.ts';
import type { ProjectName } from '../protocol/memoryNames.ts';
import { SessionId } from '../protocol/names.ts';
import { RunOutput } from '../protocol/output/delegates.ts';
import { chooseAgent } from './shared/agents.ts';
import { notesBeforePrompt } from './shared/compiledNotes.ts';
import { noteSeen } from './shared/noteSeen.ts';
import type { Operation, OperationContext } from './operation.ts';
import { requireWritable, writeAnswer } from './shared/outputFile.ts';
import { beginRecord, type RunRecord } from './shared/runRecord.ts';
import {
	limitsFor,
	permissionMode,
	permitStart,
	refuseExtraFromAgent,
	refuseTalkedWith,
	settingsToSee,
	type Asking,
} from './shared/starting.ts';

const Text = z.optional(z.string());
const Seconds = z.optional(z.number().check(z.positive()));

const Input = z.object({
	prompt: z.string(),
	/** Folder to work in. Absolute. */
	folder: z.string(),
	/** By default the asking agent, or the first one found. */
	agent: Text,
	model: Text,
	/** The agent's most careful mode where absent. */
	permissions: Text,
	/** Arguments for the agent's CLI, passed on unchanged. */
	extra: z.array(z.string()),
	/** As the user has set them where absent. */
	limits: z.optional(z.object({ wallSeconds: Seconds, idleSeconds: Seconds })),
	/** The answer is also written there, whole or not at all. Absolute. */
	outputFile: Text,
	/** Its name if it is a worker of a claude-swarm. By default one of its own. */
	feature: Text,
});
type Input = z.infer<typeof Input>;

const Output = z.object({
	run: RunOutput,
	/** How the agent's program ended. A `result` may be a failure, too. */
	ending: z.enum(['result', 'timeout', 'cancelled', 'no-result']),
});

/** The place of a run, who sees what the agent does, and until when it may run. */
export interface RunContext extends OperationContext {
	/** Gets a line of text for each step of the agent. */
	readonly show: (line: string) => void;
	/** Gets each step as the agent's CLI reports it. */
	readonly onEvent?: (event: HeadlessEvent) => void;
	/** Ends the agent, with everything that it has started. */
	readonly signal: AbortSignal;
	/** The same run in a sandbox, for a delegate of another machine. */
	readonly isolate?: (program: HeadlessProgram, driver: Driver) => Promise<HeadlessProgram>;
	/** The run's events go into the traffic of its folder, by these hooks, or none. Without, nobody records it. */
	readonly recorded?: {
		session: SessionId;
		resume: SessionId | undefined;
		hooks: LaunchHooks | undefined;
		/** Its notes are told by the hooks, or stand before the prompt already. Absent for a delegate of another machine. */
		project?: ProjectName;
	};
}

/** Runs an agent once, without a terminal, and waits for its answer. A failure of the agent is a result, not an error. */
export const run: Operation<Input, z.infer<typeof Output>, RunContext, Start> = {
	name: 'run',
	input: Input,
	output: Output,
	async permit(asker, input, context) {
		const { outputFile: file, folder, permissions, extra } = input;
		if (file !== undefined) permit(asker, { is: 'output-file', file });
		const { found, asking } = await startOf(asker, input, context);
		const place = await permitStart(found.driver, folder, asking);
		refuseExtraFromAgent(found.driver, extra, asking);
		permissionMode(found.driver, permissions, asking);
		return { found, asking, folder: place };
	},
	async run(asker, input, context, { found, asking, folder }) {
		const { prompt, outputFile } = input;
		const limits = Limits.parse(limitsFor(input.limits, asking));
		await noteSeen(asker, found.driver, context, folder);
		if (outputFile !== undefined) await requireWritable(outputFile);
		const notes = context.recorded ? '' : await notesBeforePrompt(context, prompt);
		const asked = { ...input, folder, prompt: `${notes}${prompt}` };
		const planned = await programOf(found, asked, asking, context.recorded);
		const program = context.isolate ? await context.isolate(planned, found.driver) : planned;
		const feature = isSwarmWorker(context.env, asking.settings)
			? swarmFeature(input.feature ?? `worker-${crypto.randomUUID().slice(0, 8)}`)
			: undefined;
		const record = await beginRecord(feature && { folder, feature }, prompt, context);
		const ending = await runSeen(
			settingsToSee(found.driver, asking),
			program,
			headlessOf(found.driver),
			{ wallMs: limits.wallSeconds * 1000, idleMs: limits.idleSeconds * 1000 },
			listenerOf(record, context),
			context.signal,
		);
		return { run: await outcomeOf(ending, record, outputFile), ending: ending.is };
	},
};

interface Start {
	found: FoundAgent;
	asking: Asking;
	folder: string;
}

async function startOf(
	asker: Asker,
	{ agent, folder }: Input,
	context: OperationContext,
): Promise<Omit<Start, 'folder'>> {
	const asking = { asker, context, settings: await context.readSettings(folder) };
	const found = await chooseAgent(asker, context, agent);
	refuseTalkedWith(found.driver);
	return { found, asking };
}

async function programOf(
	{ driver, agent }: FoundAgent,
	{ prompt, folder, model, permissions, extra }: Input,
	asking: Asking,
	recorded: RunContext['recorded'],
): Promise<HeadlessProgram> {
	const { env } = asking.context;
	const launch = await prepareHeadless(driver, {
		session: recorded?.session ?? SessionId.parse(crypto.randomUUID()),
		resume: recorded?.resume,
		model,
		permissions: permissionMode(driver, permissions, asking),
		extra,
		prompt,
		version: agent.version,
		workspaceFolder: folder,
		cwd: folder,
		// Nobody steers this run.
		hooks: recorded?.hooks,
		env,
	});
	return {
		command: agent.executable,
		args: launch.args,
		cwd: folder,
		startsIn: launch.startsIn,
		env: {
			...agentEnvironment(driver, {
				launchEnv: launch.env,
				inherited: env,
				cwd: folder,
				program: agent.executable,
				hasHooks: recorded?.hooks !== undefined,
				isHeadless: true,
				worker: undefined,
			}),
			...(recorded?.project !== undefined && { NANCY_PROJECT: recorded.project }),
		},
		stdin: launch.stdin,
		mark: crypto.randomUUID(),
	};
}

function listenerOf(record: RunRecord, { dataFolder, show, note, onEvent }: RunContext): RunListener {
	return {
		onStart: process => sealStart(dataFolder, process),
		onEvent: event => {
			record.note(event);
			onEvent?.(event);
			const line = eventLine(event);
			if (line === undefined) return;
			show(line);
			record.say(`${line}\n`);
		},
		onNoise: text => {
			note(text.trimEnd());
			record.say(text.endsWith('\n') ? text : `${text}\n`);
		},
	};
}

async function outcomeOf(
	ending: Ending,
	record: RunRecord,
	outputFile: string | undefined,
): Promise<z.infer<typeof RunOutput>> {
	const result = ending.is === 'result' ? ending.result : undefined;
	const output = result?.text ?? '';
	const reason = reasonOf(ending) ?? (outputFile === undefined ? undefined : await writeAnswer(outputFile, output));
	const { tool_calls: toolCalls, denied, session } = await record.end(output, reason);
	return {
		ok: reason === undefined,
		output,
		...(reason !== undefined && { reason }),
		toolCalls,
		denied,
		session,
		...(result && { inputTokens: result.inputTokens, outputTokens: result.outputTokens, costUsd: result.costUsd }),
	};
}

/** Why it has failed. */
function reasonOf(ending: Ending): string | undefined {
	switch (ending.is) {
		case 'result':
			if (ending.result.failure) return ending.result.failure.reason;
			return ending.result.text.trim() === '' ? 'it ended without an answer' : undefined;
		case 'timeout':
			return ending.limit === 'wall' ? 'it took too long' : 'nothing came from it for too long';
		case 'cancelled':
			return 'cancelled';
		case 'no-result':
			return ending.reason;
	}
}
