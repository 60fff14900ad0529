import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import type { TaskView, WorkerView } from '../../core/live/overview.ts';
import { StatusOutput, type TaskOutput, type WorkerOutput } from '../../protocol/output/tasks.ts';
import { parseTaskName } from '../addresses.ts';
import { answer, command } from '../command.ts';
import { currentOverview } from '../../operations/currentOverview.ts';
import { findWorkspace } from '../../operations/place.ts';
import { tokenUse } from '../tokenUse.ts';
import { ago, counted, printableLine } from '../words.ts';

const Input = z.object({ task: z.optional(z.string()), all: z._default(z.boolean(), false) });

export const status = command(
	{
		name: 'status',
		aliases: ['tasks'],
		summary: 'show tasks, their workers and what each is doing',
		details: [
			'Each state comes with the evidence for it and its age: what an agent was last seen to do, never a guess.',
		],
		positionals: [{ name: 'task', label: '<task>', help: 'only this task', required: false }],
		options: { all: { short: 'a', help: 'archived tasks too' } },
		examples: [["nancy status --json | jq '.tasks[].workers[].phase'", 'what everybody is doing, for a program']],
	},
	Input,
	async ({ task, all }, context) => {
		const workspace = findWorkspace(context);
		const wanted = task === undefined ? undefined : (await workspace.task(parseTaskName(task))).name;
		const overview = await currentOverview(workspace, context.env);
		const views = overview.tasks.filter(({ record }) =>
			wanted === undefined ? all || record.archivedAt === undefined : record.name === wanted,
		);
		if (wanted !== undefined && views.length === 0)
			throw new NancyError('bad-file', `task "${wanted}" cannot be read`);
		for (const { file, reason } of overview.problems) context.note(`${file}: ${reason}`);
		const tasks = views.map(taskOutput);
		return answer(
			StatusOutput,
			{ folder: workspace.folder, tasks, problems: overview.problems },
			tasks.length === 0 ? 'no tasks; nancy orchestrate <task> starts one' : tasks.flatMap(taskLines),
		);
	},
);

function taskOutput({ record, workers, unread }: TaskView): TaskOutput {
	return {
		task: record.name,
		title: record.title,
		agent: record.agent,
		createdAt: record.createdAt,
		...(record.archivedAt !== undefined && { archivedAt: record.archivedAt }),
		unread,
		workers: workers.map(workerOutput),
	};
}

function workerOutput({ record, state, facts, queued }: WorkerView): WorkerOutput {
	return {
		worker: record.name,
		agent: record.agent,
		...(record.agentVersion !== undefined && { agentVersion: record.agentVersion }),
		phase: state.phase,
		...(state.tool !== undefined && { tool: state.tool }),
		...(state.summary !== undefined && { summary: state.summary }),
		...(state.subagents !== undefined && { subagents: state.subagents }),
		source: state.source,
		at: state.at,
		...(state.session !== undefined && { session: state.session }),
		...(record.process !== undefined && state.phase !== 'ended' && { pid: record.process.pid }),
		queued,
		...(facts && { tokens: tokenUse(facts) }),
	};
}

function taskLines({ task, title, unread, archivedAt, workers }: TaskOutput): string[] {
	const marks = [
		title === task ? '' : printableLine(title),
		archivedAt === undefined ? '' : 'archived',
		unread === 0 ? '' : `${counted(unread, 'message')} for you: nancy inbox ${task}/orchestrator`,
	];
	const width = Math.max(0, ...workers.map(({ worker }) => worker.length));
	return [
		[task, ...marks.filter(mark => mark !== '')].join('  '),
		...(workers.length === 0 ? ['  no worker yet'] : []),
		...workers.map(worker => `  ${worker.worker.padEnd(width)}  ${workerWords(worker)}`),
	];
}

function workerWords({ phase, tool, summary, source, at, queued, subagents, tokens }: WorkerOutput): string {
	const waiting = tool === undefined ? 'waiting for you' : 'waiting for permission';
	const doing = [phase === 'waiting' ? waiting : phase, tool].filter(word => word !== undefined).join(' ');
	const facts = [
		summary ? `${doing}: ${printableLine(summary)}` : doing,
		printableLine(source),
		ago(at),
		subagents ? counted(subagents, 'subagent') : '',
		queued === 0 ? '' : `${queued} queued`,
		tokens?.contextTokens === undefined ? '' : `${tokens.contextTokens} tokens in context`,
		tokens?.costUsd === undefined ? '' : `$${tokens.costUsd.toFixed(2)}`,
	];
	return facts.filter(fact => fact !== '').join(' · ');
}
