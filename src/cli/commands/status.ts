import * as z from 'zod/mini';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { findWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { StatusOutput, type TaskOutput, type WorkerOutput } from '../../protocol/output/tasks.ts';
import { parseTaskName } from '../../operations/shared/addresses.ts';
import { answer, command } from '../command.ts';
import { counted } from '../../base/counted.ts';
import { ago, printableLine, printablePath } from '../words.ts';

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
		const input = { ...(task !== undefined && { task: parseTaskName(task) }), all };
		const where = programContext(workspace, context);
		const found = await perform(await operations.status(), context.asker, input, where);
		for (const { file, reason } of found.problems) context.note(`${printablePath(file)}: ${reason}`);
		return answer(
			StatusOutput,
			found,
			found.tasks.length === 0 ? 'no tasks; nancy orchestrate <task> starts one' : found.tasks.flatMap(taskLines),
		);
	},
);

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

function workerWords(worker: WorkerOutput): string {
	const { phase, tool, summary, source, at, queued, subagents, said, tokens } = worker;
	const waiting = tool === undefined ? 'waiting for you' : 'waiting for permission';
	const doing = [phase === 'waiting' ? waiting : phase, tool && printableLine(tool)]
		.filter(word => word !== undefined)
		.join(' ');
	const facts = [
		summary ? `${doing}: ${printableLine(summary)}` : doing,
		worker.asksInTerminal ? 'Nancy cannot answer: open its terminal' : '',
		said === undefined
			? ''
			: `says ${[said.word, JSON.stringify(printableLine(said.text))].filter(Boolean).join(' ')}`,
		printableLine(source),
		ago(at),
		subagents ? counted(subagents, 'subagent') : '',
		queued === 0 ? '' : `${queued} queued`,
		tokens?.contextTokens === undefined ? '' : `${tokens.contextTokens} tokens in context`,
		tokens?.costUsd === undefined ? '' : `$${tokens.costUsd.toFixed(2)}`,
	];
	return facts.filter(fact => fact !== '').join(' · ');
}
