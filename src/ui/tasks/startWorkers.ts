import type * as vscode from 'vscode';
import { hasCode } from '../../base/errors.ts';
import { oneByOne } from '../../base/oneByOne.ts';
import type { WorkerRequest } from '../ports.ts';
import { notStarted, runName } from '../start/notStarted.ts';
import { modeOf, modesInTerminal } from '../start/permissions.ts';
import type { PromptEditors } from '../start/promptEditors.ts';
import { choiceOfRest } from '../start/startChoice.ts';
import type { StartMemory } from '../start/startMemory.ts';
import { freeName } from '../start/taskTitle.ts';
import { draftOf, type TaskAnswer, type TaskOrder } from './orchestrateHub.ts';

export interface WorkersStart {
	order: TaskOrder;
	answer: TaskAnswer;
	/** The document with the prompt, unless the prompt was typed into a box. */
	document: vscode.TextDocument | undefined;
}

export interface StartParts {
	start: (request: WorkerRequest) => Promise<void>;
	editors: PromptEditors<TaskOrder>;
	memory: StartMemory;
}

/**
 * Starts a worker for each agent, in the same task, whichever of them fail. If a worker starts again, the first agent that can be started
 * becomes that worker. If only some fail, the prompt stays in an editor, for more workers of the task. If all fail, it stays where it is:
 * as a draft of the box, or in its document.
 * @throws an error that names all that could not be started
 */
export async function startWorkers(
	{ start, editors, memory }: StartParts,
	{ order, answer, document }: WorkersStart,
): Promise<void> {
	const { folder, task: known } = order;
	const { prompt, title, choice, runs, images } = answer;
	const names = () => new Set(folder.overview().tasks.map(({ record }) => record.name));
	const task = known?.name ?? freeName(title, names());
	let isNew = known === undefined;
	let { worker } = order;
	const { done: started, failures } = await oneByOne(runs, async run => {
		const { agent, model } = run;
		const permissions = modeOf(agent, choice, modesInTerminal)?.id;
		// A worker that starts again stays where it worked.
		const where = worker ? { worker } : { place: choice.place };
		const request = { task, agent: agent.id, prompt, model, permissions, ...where };
		const withImages = agent.takesImages && images.length > 0 && { images: [...images] };
		try {
			await start({ ...request, ...withImages, ...(!known && { title }), ...(isNew && { isNew }) });
		} catch (error) {
			// One that fails later than that has made the task.
			isNew &&= hasCode(error, 'task-exists');
			throw error;
		}
		isNew = false;
		worker = undefined;
		return run;
	});
	if (failures.length > 0 && started.length > 0) {
		const again = choiceOfRest(
			choice,
			failures.map(({ item: { agent, model } }) => ({ agent: agent.id, model })),
		);
		const [agent = ''] = again.agents;
		const rest = { folder, task: { name: task, label: known?.label ?? title, agent }, again, images };
		await editors.keep(rest, prompt, document);
	}
	if (started.length > 0 && !document) await memory.keepDraft(draftOf(order), '');
	const [first] = failures;
	if (!first) return;
	if (runs.length === 1) throw first.error;
	const nameOf = ({ agent, model }: TaskAnswer['runs'][number]) => runName(agent.displayName, model);
	throw notStarted({
		started: started.map(nameOf),
		failures: failures.map(({ item, error }) => ({ name: nameOf(item), error })),
		again: started.length > 0 ? editors.command.title : undefined,
	});
}
