import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import { isInside } from '../../base/inside.ts';
import { taskNameFrom } from '../../core/workspace/taskName.ts';
import { chosenAgent } from '../../core/workspace/chosenAgent.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import { DriverId, type TaskName, type WorkerName } from '../../protocol/names.ts';
import type { TaskRecord } from '../../protocol/records.ts';
import { agentDetail } from './agentWords.ts';
import { VIEWS } from '../contributions.ts';
import type { Folders } from '../folders.ts';
import { firstLine } from '../kit/format.ts';
import { pickFolder } from '../pickers.ts';
import type { AgentChoice, Folder, Operations, WorkerRequest } from '../ports.ts';
import { agentModel, defaultAgent } from '../settings.ts';
import { askChoice, askLine, askText, inOrder, type Choice } from '../kit/inputs.ts';
import { warn } from '../kit/messages.ts';
import { inProgress } from '../kit/progress.ts';
import type { Terminals } from './terminals.ts';

/** The key of the last chosen agent, which all windows remember. */
const LAST_AGENT = 'lastAgent';

/** Starts tasks and workers: asks the user, prepares the agent, and opens its terminal. */
export class Orchestrator {
	constructor(
		private readonly folders: Folders,
		private readonly operations: Operations,
		private readonly terminals: Terminals,
		private readonly memory: vscode.Memento,
	) {}

	/** Asks for everything that a new task needs, and starts it. */
	async newTask(): Promise<void> {
		const folder = await pickFolder(this.folders);
		const taken = new Set(folder.overview().tasks.map(({ record }) => record.name));
		const agents = await this.operations.agents();
		let title = '';
		let prompt = '';
		let agent: AgentChoice | undefined;
		const frame = (step: number) => ({ title: l10n.t('Orchestrate Task'), step, totalSteps: 3 });
		await inOrder([
			async step => {
				title = await askText(frame(step), {
					value: title,
					prompt: l10n.t('A name for the task'),
					placeholder: l10n.t('fix the login'),
					validate: value => nameProblem(value, taken),
				});
			},
			async step => {
				prompt = await askPrompt(frame(step), folder, prompt);
			},
			async step => {
				agent = await this.askAgent(frame(step), agents, agent);
			},
		]);
		const name = taskNameFrom(title);
		if (!agent || !name) throw new vscode.CancellationError();
		await this.memory.update(LAST_AGENT, agent.id);
		const { id, model } = agent;
		await this.start(folder, { task: name, title: title.trim(), isNew: true, prompt, agent: id, model });
	}

	/** One more worker on a task, with its own prompt. */
	async addWorker(folder: Folder, { name: task, agent: proposed }: TaskRecord): Promise<void> {
		const title = l10n.t('Add Worker');
		const prompt = await askLine(
			title,
			l10n.t('What should the new worker do? Leave empty to tell it in its terminal.'),
		);
		if (prompt === undefined) throw new vscode.CancellationError();
		const agent = await this.chosenOr(folder, { task }, title, proposed);
		await this.start(folder, { task, agent, prompt: prompt.trim(), model: agentModel(agent) });
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
		const agents = await this.operations.agents();
		const likely = agents.find(({ id }) => id === proposed);
		return (await this.askAgent({ title, step: 1, totalSteps: 1 }, agents, likely)).id;
	}

	private async start(folder: Folder, request: WorkerRequest): Promise<void> {
		const { warnings, ...start } = await inProgress(VIEWS.tasks, () =>
			this.operations.orchestrate(folder, request),
		);
		if (warnings.length > 0) void warn(warnings.join(' '));
		await this.terminals.start(folder, start);
	}

	private async askAgent(
		frame: { title: string; step: number; totalSteps: number },
		agents: readonly AgentChoice[],
		chosen: AgentChoice | undefined,
	): Promise<AgentChoice> {
		const last = DriverId.safeParse(this.memory.get(LAST_AGENT));
		const wanted = chosen?.id ?? (defaultAgent() || (last.success ? last.data : undefined));
		const rows = agents.map(agent => ({
			label: agent.displayName,
			description: agent.found ? agent.found.version : l10n.t('not found'),
			detail: agentDetail(agent),
			icon: agent.found ? 'robot' : 'circle-slash',
			agent,
		}));
		const usable = rows.filter(({ agent }) => agent.found);
		const active = usable.find(({ agent }) => agent.id === wanted) ?? usable[0];
		const { agent } = await askChoice(frame, {
			items: rows,
			active,
			placeholder: l10n.t('Which agent works on it?'),
		});
		if (!agent.found) throw new NancyError('no-agent', agent.installHint);
		return agent;
	}
}

function nameProblem(title: string, taken: ReadonlySet<string>): string | undefined {
	if (title.trim() === '') return l10n.t('Give the task a name.');
	const name = taskNameFrom(title);
	if (!name) return l10n.t('Use at least one letter from a to z, or a digit.');
	return taken.has(name) ? l10n.t('There is a task “{0}” already.', name) : undefined;
}

/** The prompt as typed, or from the editor: the selection, or an open specification. */
async function askPrompt(
	frame: { title: string; step: number; totalSteps: number },
	folder: Folder,
	before: string,
): Promise<string> {
	const offered = promptsFromEditor(folder);
	if (offered.length > 0 && before === '') {
		const write = { icon: 'edit', label: l10n.t('Write a prompt'), prompt: undefined };
		const { prompt } = await askChoice(frame, {
			items: [...offered, write],
			active: undefined,
			placeholder: l10n.t('What is to be done?'),
		});
		if (prompt !== undefined) return prompt;
	}
	const text = await askText(frame, {
		value: before,
		prompt: l10n.t('What is to be done? Leave empty to tell the agent in its terminal.'),
		placeholder: l10n.t('Make the login work with a second factor'),
		validate: () => undefined,
	});
	return text.trim();
}

function promptsFromEditor(folder: Folder): (Choice & { prompt: string | undefined })[] {
	const editor = vscode.window.activeTextEditor;
	if (!editor) return [];
	const { document, selection } = editor;
	const rows: (Choice & { prompt: string | undefined })[] = [];
	const selected = document.getText(selection).trim();
	if (selected !== '') {
		const label = l10n.t('Use the selection');
		rows.push({ icon: 'selection', label, description: firstLine(selected, 60), prompt: selected });
	}
	const file = specificationIn(folder, document);
	if (file !== undefined) {
		const label = l10n.t('Use the open specification');
		// Words for the agent, so not translated.
		rows.push({
			icon: 'file',
			label,
			description: file,
			prompt: `Read the specification in ${file} and carry it out.`,
		});
	}
	return rows;
}

/** The open text file of the user in this folder, relative to it. An open message does not count. */
function specificationIn(folder: Folder, { uri, languageId }: vscode.TextDocument): string | undefined {
	if (uri.scheme !== 'file' || !['markdown', 'plaintext'].includes(languageId)) return undefined;
	const isOwn = isInside(folder.path, uri.fsPath) && !isInside(folder.workspace.paths.root, uri.fsPath);
	return isOwn ? relative(folder.path, uri.fsPath).replaceAll(sep, '/') : undefined;
}
