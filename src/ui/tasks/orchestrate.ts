import type * as vscode from 'vscode';
import { l10n } from 'vscode';
import { chosenAgent } from '../../core/workspace/chosenAgent.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import type { DriverId, TaskName, WorkerName } from '../../protocol/names.ts';
import type { TaskRecord } from '../../protocol/records.ts';
import { VIEWS } from '../contributions.ts';
import type { Folders } from '../folders.ts';
import type { Failures } from '../kit/failures.ts';
import { warn } from '../kit/messages.ts';
import { inProgress } from '../kit/progress.ts';
import { pickFolder } from '../pickers.ts';
import type { Folder, Operations, WorkerRequest, WorkerStart } from '../ports.ts';
import { askAgent } from '../start/askAgents.ts';
import { PromptNeedsEditor } from '../start/askPrompt.ts';
import type { Presets } from '../start/presets.ts';
import { promptDocument, type PromptEditors } from '../start/promptEditors.ts';
import type { StartMemory } from '../start/startMemory.ts';
import { askTask, draftOf, type TaskOrder } from './orchestrateHub.ts';
import { startWorkers } from './startWorkers.ts';
import { taskLabels } from './taskLabels.ts';

export interface OrchestratorParts {
	folders: Pick<Folders, 'list'>;
	operations: Pick<Operations, 'agents' | 'orchestrate'>;
	terminals: { start(folder: Folder, plan: WorkerStart): Promise<unknown> };
	failures: Pick<Failures, 'background'>;
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
	async addWorker(folder: Folder, task: TaskRecord): Promise<void> {
		await this.askAndStart(await orderFor(folder, task));
	}

	/**
	 * A worker whose agent has not begun a conversation. The list shows the prompt and the choices of its start. If this window did not start
	 * it, asks for the prompt: nothing in `.nancy` is handed to an agent as the user's words.
	 */
	async startAgain(folder: Folder, task: TaskRecord, worker: WorkerName): Promise<void> {
		const order = { ...(await orderFor(folder, task, worker)), worker };
		const started = this.own.memory.startOf(startKey(folder, task, worker));
		if (!started) return this.askAndStart(order);
		const { prompt: text, choice: again, images } = started;
		await this.askAndStart({ ...order, again, images }, { text });
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
			const start = (request: WorkerRequest) => this.start(order.folder, request);
			await startWorkers({ start, editors, memory }, { order, answer, document: written?.document });
		} catch (error) {
			if (!(error instanceof PromptNeedsEditor)) throw error;
			await editors.write(order, error.text);
			await memory.keepDraft(draftOf(order), '');
		}
	}

	/** Prepares the agent, and opens its terminal. */
	async start(folder: Folder, request: WorkerRequest): Promise<void> {
		const { operations, terminals, failures } = this.own;
		const { warnings, ...start } = await inProgress(VIEWS.tasks, () => operations.orchestrate(folder, request));
		if (warnings.length > 0) void warn(warnings.join(' '));
		// Before the start: the agent may end at once, or its terminal may not come.
		failures.background(this.remember(folder, request, start.address.worker));
		await terminals.start(folder, start);
	}

	/** For {@link startAgain}. */
	private async remember(folder: Folder, request: WorkerRequest, worker: WorkerName): Promise<void> {
		const { memory } = this.own;
		const { task, agent, prompt, model = '', permissions, images = [] } = request;
		if (prompt === undefined) return;
		const key = startKey(folder, await folder.workspace.task(task), worker);
		// A worker that starts again stays where it worked.
		const place = request.place ?? memory.startOf(key)?.choice.place ?? 'folder';
		const choice = {
			agents: [agent],
			models: model,
			place,
			permissions: permissions ? { [agent]: permissions } : {},
		};
		await memory.keepStart(key, { prompt, choice, images });
	}
}

interface Written {
	text: string;
	document?: vscode.TextDocument;
}

/** For a worker of a task: a new one, or one that starts again. Its agent is a proposal. */
async function orderFor(folder: Folder, task: TaskRecord, worker?: WorkerName): Promise<TaskOrder> {
	const { name, title, agent: filed } = task;
	const label = taskLabels(folder.overview().tasks).get(name) ?? title;
	const agent = (await chosenAgent(folder.workspace, { task: name, worker })) ?? filed;
	return { folder, task: { name, label, agent } };
}

/** A later task of the same name is another one. */
function startKey({ path }: Folder, { name, createdAt }: TaskRecord, worker: WorkerName): string {
	return [path, name, createdAt, worker].join('//');
}
