import type * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import { chosenAgent } from '../../core/workspace/chosenAgent.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import type { DriverId, TaskName, WorkerName } from '../../protocol/names.ts';
import type { TaskRecord } from '../../protocol/records.ts';
import { VIEWS } from '../contributions.ts';
import type { Folders } from '../folders.ts';
import { sentence } from '../kit/failures.ts';
import { warn } from '../kit/messages.ts';
import { inProgress } from '../kit/progress.ts';
import { errorWords } from '../kit/translated.ts';
import { pickFolder } from '../pickers.ts';
import type { Folder, Operations, WorkerRequest } from '../ports.ts';
import { askAgent } from '../start/askAgents.ts';
import { PromptNeedsEditor } from '../start/askPrompt.ts';
import type { Presets } from '../start/presets.ts';
import { promptDocument, type PromptEditors } from '../start/promptEditors.ts';
import type { StartMemory } from '../start/startMemory.ts';
import { freeName } from '../start/taskTitle.ts';
import { askTask, draftOf, type TaskAnswer, type TaskOrder } from './orchestrateHub.ts';
import { taskLabels } from './taskLabels.ts';
import type { Terminals } from './terminals.ts';

export interface OrchestratorParts {
	folders: Folders;
	operations: Operations;
	terminals: Terminals;
	memory: StartMemory;
	presets: Presets;
	editors: PromptEditors<TaskOrder>;
}

/** Starts tasks and workers: asks the user, prepares the agent, and opens its terminal. */
export class Orchestrator {
	constructor(private readonly own: OrchestratorParts) {}

	async newTask(): Promise<void> {
		await this.askAndStart({ folder: await pickFolder(this.own.folders) });
	}

	/** One more worker on a task, with its own prompt. */
	async addWorker(folder: Folder, { name, title, agent: filed }: TaskRecord): Promise<void> {
		const label = taskLabels(folder.overview().tasks).get(name) ?? title;
		const agent = (await chosenAgent(folder.workspace, { task: name })) ?? filed;
		await this.askAndStart({ folder, task: { name, label, agent } });
	}

	/** The prompt is the text of a document. */
	async startThis(called: unknown): Promise<void> {
		const { editors, folders } = this.own;
		const { document, text } = await promptDocument(called);
		const order = editors.orderOf(document) ?? { folder: await pickFolder(folders) };
		await this.askAndStart(order, { text, document });
		await editors.close(document, text);
	}

	/** The same conversation in a new terminal. */
	async resume(folder: Folder, address: WorkerAddress, proposed: DriverId): Promise<void> {
		const { task, worker } = address;
		const agent = await this.chosenOr(folder, address, l10n.t('Resume Worker'), proposed);
		await this.start(folder, { task, worker, agent, resume: true });
	}

	/** A new worker of the task, with a copy of the conversation, which stays as it is. */
	async fork(folder: Folder, address: WorkerAddress, proposed: DriverId): Promise<void> {
		const { task, worker } = address;
		const agent = await this.chosenOr(folder, address, l10n.t('Fork Conversation'), proposed);
		await this.start(folder, { task, worker, agent, fork: true });
	}

	/** The agent that the user chose before, else asks: a record in `.nancy`, which agents can write, only proposes one. */
	private async chosenOr(
		{ workspace }: Folder,
		chooser: { task: TaskName; worker?: WorkerName },
		title: string,
		proposed: DriverId,
	): Promise<DriverId> {
		const chosen = await chosenAgent(workspace, chooser);
		if (chosen !== undefined) return chosen;
		const agents = await this.own.operations.agents();
		const likely = agents.find(({ id }) => id === proposed);
		return (await askAgent({ title, step: 1, totalSteps: 1 }, agents, likely)).id;
	}

	/** @param written the prompt, if it is the text of a document */
	private async askAndStart(order: TaskOrder, written?: Written): Promise<void> {
		const { operations, memory, presets, editors } = this.own;
		const agents = await operations.agents();
		try {
			const answer = await askTask({ order, written: written?.text, agents, memory, presets });
			await this.startAll(order, answer, written);
			if (!written) await memory.keepDraft(draftOf(order), '');
		} catch (error) {
			if (!(error instanceof PromptNeedsEditor)) throw error;
			await editors.write(order, error.text);
			await memory.keepDraft(draftOf(order), '');
		}
	}

	/** A worker for each agent, in the same task. If one cannot be started, the prompt stays in an editor, for another worker. */
	private async startAll(order: TaskOrder, answer: TaskAnswer, written: Written | undefined): Promise<void> {
		const { folder, task: known } = order;
		const { prompt, title, place, runs } = answer;
		const taken = new Set(folder.overview().tasks.map(({ record }) => record.name));
		const task = known?.name ?? freeName(title, taken);
		const started: string[] = [];
		for (const { agent, model } of runs) {
			const isFirst = known === undefined && started.length === 0;
			const request = { task, agent: agent.id, prompt, model, place, ...(isFirst && { title, isNew: true }) };
			try {
				await this.start(folder, request);
			} catch (error) {
				if (started.length === 0) throw error;
				const rest = { folder, task: { name: task, label: known?.label ?? title, agent: agent.id } };
				await this.own.editors.keep(rest, prompt, written?.document);
				await this.own.memory.keepDraft(draftOf(order), '');
				throw onlySome(started, agent.displayName, error);
			}
			started.push(agent.displayName);
		}
	}

	private async start(folder: Folder, request: WorkerRequest): Promise<void> {
		const { operations, terminals } = this.own;
		const { warnings, ...start } = await inProgress(VIEWS.tasks, () => operations.orchestrate(folder, request));
		if (warnings.length > 0) void warn(warnings.join(' '));
		await terminals.start(folder, start);
	}
}

interface Written {
	text: string;
	document: vscode.TextDocument;
}

function onlySome(started: readonly string[], failed: string, error: unknown): NancyError {
	const why = sentence(errorWords(error));
	const text = l10n.t(
		'{0} has been started, {1} has not: {2} “Start Task with This” in the prompt’s editor tries that again.',
		started.join(', '),
		failed,
		why,
	);
	return new NancyError('io', text, { cause: error });
}
