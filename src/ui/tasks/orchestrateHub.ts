import { l10n } from 'vscode';
import type { TaskName, WorkerName } from '../../protocol/names.ts';
import { askText, inOrder, type StepFrame } from '../kit/inputs.ts';
import { firstLine } from '../kit/format.ts';
import { warn } from '../kit/messages.ts';
import type { AgentChoice, Folder } from '../ports.ts';
import { defaultAgent } from '../settings.ts';
import {
	askPrompt,
	selectionRow,
	specificationIn,
	type OfferedSelection,
	type PromptQuestion,
} from '../start/askPrompt.ts';
import { presetRow } from '../start/askPreset.ts';
import { quotedSelection, selectionIn } from '../start/askSelection.ts';
import { imagesRow, type WithImages } from '../start/images.ts';
import { modeOf, modesInTerminal, permissionsRow } from '../start/permissions.ts';
import type { Presets } from '../start/presets.ts';
import { agentsOf, canBeChosen, misplaced, runsOf, type StartChoice } from '../start/startChoice.ts';
import {
	agentRow,
	askHub,
	misplacedWords,
	modelRow,
	placeRow,
	placeWords,
	rowFrame,
	type HubRow,
} from '../start/startHub.ts';
import type { StartMemory } from '../start/startMemory.ts';
import { titleFrom } from '../start/taskTitle.ts';
import { whoIs } from '../who.ts';

export interface TaskOrder {
	folder: Folder;
	/** The task that gets another worker. Absent: a new task. */
	task?: { name: TaskName; label: string; agent: string } | undefined;
	/** The worker of that task that starts again, where it worked before. Absent: a new worker. */
	worker?: WorkerName;
	/** The prompt is for those agents alone that could not be started at the last start, or that ended before they began. */
	again?: StartChoice;
	/** Those that the prompt got at the last start. */
	images?: readonly string[];
}

export interface TaskAnswer {
	prompt: string;
	title: string;
	choice: StartChoice;
	runs: ReturnType<typeof runsOf>;
	/** Absolute. */
	images: readonly string[];
}

export interface TaskQuestion {
	order: TaskOrder;
	/** A prompt from elsewhere. With one, the user is not asked for a prompt. */
	written: string | undefined;
	agents: readonly AgentChoice[];
	memory: StartMemory;
	presets: Presets;
}

/** What the user says and chooses for the start of a task or a worker. */
interface Chosen extends WithImages {
	choice: StartChoice;
	prompt: string;
	/** As typed; empty for the one made from the prompt. */
	title: string;
	selection: OfferedSelection | undefined;
}

/**
 * Asks for a prompt. A new task then starts as the last one did, unless the user wants to change that; otherwise shows the choice first.
 * @throws {PromptNeedsEditor}
 */
export async function askTask(question: TaskQuestion): Promise<TaskAnswer> {
	const { order, written, agents, memory } = question;
	const found = written === undefined ? selectionIn(order.folder) : undefined;
	const chosen: Chosen = {
		choice: firstChoice(question),
		prompt: written ?? '',
		title: '',
		selection: found && { ...found, isTaken: false },
		images: order.images ?? [],
	};
	const isDirect = written === undefined && order.task === undefined && isKnown(question, chosen.choice);
	let changesHow = !isDirect;
	const totalSteps = written === undefined ? 2 : 1;
	const frame = (step: number): StepFrame => ({ title: titleOf(order), step, totalSteps });
	const askFirst = async (step: number) => {
		const answer = await askPrompt(frame(step), promptOf(question, chosen, isDirect), memory);
		chosen.prompt = answer.prompt;
		changesHow = !isDirect || answer.changesHow;
	};
	const askThen = async (step: number) => {
		if (changesHow) await askHub(frame(step), () => summary(question, chosen));
	};
	await inOrder(written === undefined ? [askFirst, askThen] : [askThen]);
	if (!order.task) await memory.remember('task', chosen.choice);
	const context = chosen.selection?.isTaken ? `\n\n${quotedSelection(chosen.selection)}` : '';
	const prompt = `${chosen.prompt.trim()}${context}`.trim();
	const { choice, images } = chosen;
	return { prompt, title: nameOf(chosen), choice, runs: runsOf(choice, agents), images };
}

/** Where the prompt of this order is kept until it has started: see {@link StartMemory.draft}. */
export function draftOf({ folder, task, worker }: TaskOrder): string {
	return ['task', folder.path, task?.name, worker].filter(Boolean).join(' ');
}

function titleOf({ folder, task, worker }: TaskOrder): string {
	if (task && worker) return l10n.t('Start “{0}” Again', whoIs(folder, { task: task.name, worker }));
	return task ? l10n.t('Add Worker to “{0}”', task.label) : l10n.t('Orchestrate Task');
}

/** What is chosen before the user has changed anything. A task's own agent is only a proposal: the user sees it and starts. */
function firstChoice({ order, agents, memory }: TaskQuestion): StartChoice {
	if (order.again) return { ...order.again };
	const last = memory.last('task');
	const found = agents.filter(canBeChosen).map(({ id }) => id);
	const wanted = order.task?.agent ?? defaultAgent();
	const known = (last?.agents ?? []).filter(id => found.some(each => each === id));
	const preferred = found.find(id => id === wanted) ?? (order.task || known.length === 0 ? found[0] : undefined);
	const place = order.task ? 'folder' : (last?.place ?? 'folder');
	return { agents: preferred ? [preferred] : known, models: '', place, permissions: { ...last?.permissions } };
}

/** Whether the user has started the last task so, and it still can. The default agent may come from the workspace's settings. */
function isKnown({ memory, agents }: TaskQuestion, choice: StartChoice): boolean {
	const before = new Set(memory.last('task')?.agents);
	const isSame = choice.agents.length > 0 && choice.agents.every(id => before.has(id));
	return isSame && misplaced(choice, agents).length === 0;
}

function promptOf(
	{ order, agents }: TaskQuestion,
	{ prompt, choice, selection }: Chosen,
	isDirect: boolean,
): PromptQuestion {
	const names = agentsOf(choice, agents).map(agent => {
		const mode = modeOf(agent, choice, modesInTerminal);
		return mode?.id === undefined ? agent.displayName : `${agent.displayName} (${mode.label})`;
	});
	const place = choice.place === 'folder' ? [] : [placeWords(choice.place).label];
	return {
		typed: prompt,
		prompt: isDirect
			? l10n.t('What is to be done? Enter starts {0}.', [names.join(', '), ...place].join(' · '))
			: l10n.t(
					'What is to be done? Leave it empty to tell the agent in its terminal. Enter shows how it starts.',
				),
		placeholder: l10n.t('Make the login work with a second factor'),
		mayBeEmpty: true,
		isDirect,
		draft: draftOf(order),
		selection,
		specification: specificationIn(order.folder),
	};
}

function summary({ order, agents, presets }: TaskQuestion, chosen: Chosen): HubRow[] {
	const title = titleOf(order);
	const { choice, selection } = chosen;
	return [
		startRow(title, order, chosen, agents),
		presetRow({ title, presets, choice, agents, modes: modesInTerminal }),
		agentRow(title, choice, agents),
		...placeRows(title, order, choice, agents),
		...permissionsRow(title, choice, agents, modesInTerminal),
		...modelRow(title, choice, agents),
		...(selection ? [selectionRow(selection)] : []),
		...imagesRow(title, order.folder, chosen, choice, agents),
		...(order.task ? [] : [nameRow(title, chosen)]),
	];
}

/** A worker that starts again stays where it worked. Further agents become new workers. */
function placeRows(
	title: string,
	{ worker }: TaskOrder,
	choice: StartChoice,
	agents: readonly AgentChoice[],
): HubRow[] {
	if (!worker) return [placeRow(title, choice, agents)];
	if (runsOf(choice, agents).length < 2) return [];
	return [{ detail: l10n.t('The first agent works where this worker did.'), ...placeRow(title, choice, agents) }];
}

function startRow(title: string, order: TaskOrder, { choice, prompt }: Chosen, agents: readonly AgentChoice[]): HubRow {
	const count = runsOf(choice, agents).length;
	return {
		icon: 'play',
		label: startWords(order, count),
		// The user has not just typed it.
		...(order.worker && { detail: firstLine(prompt, 120) }),
		act() {
			if (count === 0) return agentRow(title, choice, agents).act();
			if (misplaced(choice, agents).length === 0) return 'start';
			return void warn(misplacedWords(choice, agents));
		},
	};
}

function startWords({ task }: TaskOrder, count: number): string {
	if (task) return count > 1 ? l10n.t('Start {0} Workers', count) : l10n.t('Start Worker');
	return count > 1 ? l10n.t('Start Task with {0} Workers', count) : l10n.t('Start Task');
}

function nameRow(title: string, chosen: Chosen): HubRow {
	return {
		icon: 'tag',
		label: l10n.t('Name'),
		description: nameOf(chosen),
		async act() {
			chosen.title = (
				await askText(rowFrame(title), {
					value: nameOf(chosen),
					prompt: l10n.t('A name for the task'),
					placeholder: l10n.t('fix the login'),
					validate: typed => (typed.trim() === '' ? l10n.t('Give the task a name.') : undefined),
				})
			).trim();
		},
	};
}

function nameOf({ title, prompt, selection }: Chosen): string {
	return title || titleFrom(prompt) || (selection?.isTaken ? selection.where : l10n.t('New task'));
}
