import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { theTask } from '../core/workspace/named.ts';
import type { TaskView, WorkerState, WorkerView } from '../core/live/overview.ts';
import { asksInTerminal } from '../core/live/inTerminal.ts';
import { PARKED } from '../core/live/workerState.ts';
import { Questions, type Asked } from '../core/questions/questions.ts';
import { TaskName } from '../protocol/names.ts';
import { StatusOutput, type TaskOutput, type WorkerOutput } from '../protocol/output/tasks.ts';
import { anybody, type Operation } from './operation.ts';
import { tokenUse } from './shared/tokenUse.ts';

const Input = z.object({
	/** Only this task, archived or not. By default all tasks. */
	task: z.optional(TaskName),
	/** Archived tasks too. */
	all: z.boolean(),
});

/** Lists tasks, their workers and what each does. */
export const status: Operation<z.infer<typeof Input>, z.infer<typeof StatusOutput>> = {
	name: 'status',
	input: Input,
	output: StatusOutput,
	permit: anybody,
	async run(_asker, { task, all }, { workspace, look }) {
		const wanted = task && (await workspace.task(task)).name;
		const { tasks, problems } = await look();
		const meant = tasks.filter(({ record }) =>
			wanted === undefined ? all || record.archivedAt === undefined : record.name === wanted,
		);
		if (wanted !== undefined && meant.length === 0)
			throw new NancyError('bad-file', phrase`task ${theTask(wanted)} cannot be read`);
		// An agent's sandbox may hide the user's data folder: then nothing is said of questions.
		const asked = await new Questions(workspace.own).open().catch(() => undefined);
		return { folder: workspace.folder, tasks: meant.map(each => taskOutput(each, asked)), problems };
	},
};

function taskOutput({ record, workers, unread }: TaskView, asked: readonly Asked[] | undefined): TaskOutput {
	return {
		task: record.name,
		title: record.title,
		agent: record.agent,
		createdAt: record.createdAt,
		...(record.archivedAt !== undefined && { archivedAt: record.archivedAt }),
		unread,
		workers: workers.map(worker => workerOutput(worker, asked !== undefined && asksInTerminal(worker, asked))),
	};
}

function workerOutput({ record, state, facts, queued, said }: WorkerView, isInTerminal: boolean): WorkerOutput {
	return {
		worker: record.name,
		agent: record.agent,
		...(record.agentVersion !== undefined && { agentVersion: record.agentVersion }),
		phase: state.phase,
		...(state.tool !== undefined && { tool: state.tool }),
		...(state.summary !== undefined && { summary: state.summary }),
		...(isInTerminal && { asksInTerminal: true as const }),
		...(state.subagents !== undefined && { subagents: state.subagents }),
		...(said && { said }),
		source: state.source,
		at: state.at,
		...(state.session !== undefined && { session: state.session }),
		...(record.process !== undefined && hasProcess(state) && { pid: record.process.pid }),
		queued,
		...(facts && { tokens: tokenUse(facts) }),
	};
}

function hasProcess({ phase, source }: WorkerState): boolean {
	return phase !== 'ended' && source !== PARKED;
}
