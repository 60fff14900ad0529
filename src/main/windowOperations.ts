import * as vscode from 'vscode';
import { dataFolder } from '../base/folders.ts';
import { oneByOne } from '../base/oneByOne.ts';
import type { Phrase } from '../base/phrase.ts';
import { IN_WINDOW } from '../core/asker/asker.ts';
import type { Asked } from '../core/questions/questions.ts';
import type { BudgetOwner } from '../core/budgets/budgets.ts';
import type { DeployRequest } from '../core/deployment/job.ts';
import { installRuntime, sourcesIn, type InstalledRuntime } from '../core/deployment/runtime.ts';
import type { NodeProgram } from '../core/deployment/runtimePrograms.ts';
import type { Driver } from '../core/driver/driver.ts';
import type { ProbedStatus } from '../core/driver/statusProbe.ts';
import type { WorkerAddress } from '../core/workspace/workspace.ts';
import { driverById } from '../drivers/index.ts';
import { findAgent } from '../operations/shared/agents.ts';
import { deployRequest } from '../operations/shared/deployRequest.ts';
import * as operations from '../operations/index.ts';
import { perform } from '../operations/operation.ts';
import { askStatus } from '../process/askStatus.ts';
import { findNode } from '../process/detect.ts';
import type { Budget } from '../protocol/budget.ts';
import type { Answer, QuestionId, Reply } from '../protocol/question.ts';
import type { DriverId, MessageId, SessionId, TaskName } from '../protocol/names.ts';
import { inform } from '../ui/kit/messages.ts';
import { errorWords, translated } from '../ui/kit/translated.ts';
import { doctorReport } from '../ui/doctorReport.ts';
import type { Addressee, AgentMode, BudgetFacts, Folder, Letter, Operations } from '../ui/ports.ts';
import { agentArguments, agentModel, hasMcpServer } from '../ui/settings.ts';
import { requireTrust } from '../ui/trust.ts';
import { whoIs } from '../ui/who.ts';
import { keepHooksChoice } from './keepHooksChoice.ts';
import { delegateVariables, operationContext, windowEnvironment, type WindowTools } from './operationContext.ts';
import { WindowDelegates } from './windowDelegates.ts';
import { WindowExecutors } from './windowExecutors.ts';
import { WindowMemory } from './windowMemory.ts';
import { WindowWorktrees } from './windowWorktrees.ts';

/** The window's questions to drivers, processes and other programs' files. */
export class WindowOperations implements Operations {
	private runtime: Promise<InstalledRuntime> | undefined;
	readonly delegates: WindowDelegates;
	readonly executors: WindowExecutors;
	readonly worktrees: WindowWorktrees;
	readonly projects: WindowMemory;
	private readonly tools: WindowTools;

	/**
	 * @param tell reports a failure in the background, for the log
	 * @param settingsKept once the user's file has what VS Code's settings say
	 */
	constructor(
		private readonly extensionPath: string,
		private readonly version: string,
		tell: (error: unknown) => void,
		private readonly settingsKept: () => Promise<void> = () => Promise.resolve(),
	) {
		this.tools = { installRuntime: () => this.runtimeFolder(), tell };
		this.delegates = new WindowDelegates(this.tools);
		this.executors = new WindowExecutors(this.tools);
		this.worktrees = new WindowWorktrees(this.tools);
		this.projects = new WindowMemory(this.tools);
	}

	async agents() {
		// The agents that the user has named are read from there.
		await this.settingsKept();
		const here = { env: windowEnvironment(), isTrusted: vscode.workspace.isTrusted };
		const { agents } = await perform(await operations.listAgents(), IN_WINDOW, {}, here);
		return agents.map(agent => ({
			...agent,
			problem: agent.problem && translated(agent.problem),
			model: agentModel(agent.id),
			permissionModes: agent.permissionModes.map(modeInWords),
			launchModes: agent.launchModes.map(modeInWords),
		}));
	}

	async setUp(folder: Folder): Promise<{ isDone: boolean; says: readonly string[] }> {
		const { agents, failed } = await perform(await operations.setUp(), IN_WINDOW, {}, this.contextOf(folder));
		const failures = failed.map(({ agent, message }) =>
			vscode.l10n.t('{0} was not set up: {1}', nameOf(agent), translated(message)),
		);
		return { isDone: agents.length > 0, says: [...failures, ...agents.flatMap(({ warnings }) => warnings)] };
	}

	async cleanUp(folder: Folder, task: TaskName | undefined): Promise<readonly string[]> {
		const input = task === undefined ? {} : { task };
		const done = await perform(await operations.cleanUp(), IN_WINDOW, input, this.contextOf(folder));
		if (!done.undeployed) return [vscode.l10n.t('Archived. Hooks and skills stay: other tasks need them.')];
		const failures = done.failed.map(({ agent, message }) =>
			vscode.l10n.t('{0} was not cleaned up: {1}', nameOf(agent), translated(message)),
		);
		return [...failures, ...cleanedUp(done.changed), ...done.warnings];
	}

	/** After the user has changed it. */
	keepHooksChoice(folder: Folder): Promise<void> {
		return keepHooksChoice(folder);
	}

	/** See {@link deployRequest}. */
	deployRequest(folder: Folder, driver: Driver): Promise<DeployRequest | undefined> {
		return deployRequest(driver, () => folder.overview(), this.contextOf(folder));
	}

	async doctor(folder: Folder, { fix }: { fix: boolean }) {
		const installAgain = () => {
			// Not the one this window remembers: the doctor is asked because a file may be gone.
			this.runtime = undefined;
			return this.runtimeFolder();
		};
		const context = operationContext(folder, { ...this.tools, installRuntime: installAgain });
		const done = await perform(await operations.doctor(), IN_WINDOW, { fix }, context);
		if (fix) await folder.refresh();
		return doctorReport(done);
	}

	async orchestrate(folder: Folder, request: Parameters<Operations['orchestrate']>[1]) {
		const input = {
			isNew: false,
			resume: false,
			hooks: true,
			...request,
			extra: [...agentArguments(request.agent)],
			mcp: hasMcpServer(),
		};
		const start = await perform(await operations.orchestrate(), IN_WINDOW, input, this.contextOf(folder));
		// The agent may delegate itself, by the command.
		return { ...start, env: { ...start.env, ...delegateVariables() } };
	}

	/** The agent's own report of its sessions. Rejects if the agent is not found or cannot tell. */
	async ask(driver: Driver): Promise<ReadonlyMap<SessionId, ProbedStatus>> {
		const { agent } = await findAgent(driver, { env: windowEnvironment() }, 'person');
		return askStatus(driver, agent.executable, process.env);
	}

	async send<T extends Addressee>(to: readonly T[], words: Letter) {
		requireTrust();
		const operation = await operations.send();
		const input = ({ address }: T) => ({ ...words, to: address });
		for (const each of to) await operation.permit(IN_WINDOW, input(each), this.contextOf(each.folder));
		const { failures } = await oneByOne(to, each =>
			perform(operation, IN_WINDOW, input(each), this.contextOf(each.folder)),
		);
		return failures.map(({ item, error }) => ({ to: item, reason: errorWords(error) }));
	}

	async answer(folder: Folder, question: QuestionId, digest: string, reply: Reply): Promise<Answer> {
		const input = { question, digest, reply };
		const { answer } = await perform(await operations.answerQuestion(), IN_WINDOW, input, this.contextOf(folder));
		return answer;
	}

	async answered(folder: Folder): Promise<readonly Asked[]> {
		const all = { all: true };
		const found = await perform(await operations.questions(), IN_WINDOW, all, this.contextOf(folder));
		return found.questions.map(({ question, answer, outcome }) => ({ question, answer, outcome }));
	}

	async readMail(folder: Folder, task: TaskName, id: MessageId): Promise<string> {
		return (await perform(await operations.readMail(), IN_WINDOW, { task, id }, this.contextOf(folder))).file;
	}

	async edit(folder: Folder, from: WorkerAddress, id: MessageId, was: Letter, letter: Letter): Promise<void> {
		const input = { message: { ...from, id }, was, ...letter };
		await perform(await operations.editMessage(), IN_WINDOW, input, this.contextOf(folder));
	}

	async reorder(folder: Folder, mailbox: WorkerAddress, ids: readonly MessageId[]): Promise<void> {
		const input = { mailbox, ids: [...ids] };
		await perform(await operations.reorder(), IN_WINDOW, input, this.contextOf(folder));
	}

	async archive(folder: Folder, from: WorkerAddress, id: MessageId): Promise<void> {
		const messages = [{ ...from, id }];
		await perform(await operations.archive(), IN_WINDOW, { messages }, this.contextOf(folder));
	}

	async withdraw(folder: Folder, from: WorkerAddress, id: MessageId): Promise<boolean> {
		const messages = [{ ...from, id }];
		const done = await perform(await operations.withdraw(), IN_WINDOW, { messages }, this.contextOf(folder));
		return done.messages.some(({ mayBeRead }) => mayBeRead);
	}

	async stop(folder: Folder, address: WorkerAddress, onMeant: () => Promise<void>): Promise<void> {
		const context = { ...this.contextOf(folder), letGo: onMeant };
		const stopped = await perform(await operations.stop(), IN_WINDOW, { workers: [address] }, context);
		const isElsewhere = stopped.workers.some(({ outcome }) => outcome === 'elsewhere');
		if (isElsewhere) void inform(stoppedElsewhere(whoIs(folder, address)));
	}

	async archiveTask(folder: Folder, task: TaskName): Promise<void> {
		await perform(await operations.archiveTask(), IN_WINDOW, { task }, this.contextOf(folder));
	}

	async restoreTask(folder: Folder, task: TaskName): Promise<void> {
		await perform(await operations.restoreTask(), IN_WINDOW, { task }, this.contextOf(folder));
	}

	async renameTask(folder: Folder, task: TaskName, title: string): Promise<void> {
		await perform(await operations.renameTask(), IN_WINDOW, { task, title }, this.contextOf(folder));
	}

	async budget(folder: Folder, owner: BudgetOwner): Promise<BudgetFacts> {
		return perform(await operations.budget(), IN_WINDOW, { owner }, this.contextOf(folder));
	}

	async setBudget(folder: Folder, owner: BudgetOwner, budget: Budget | undefined): Promise<void> {
		await perform(await operations.setBudget(), IN_WINDOW, { owner, budget }, this.contextOf(folder));
	}

	async deleteTask(folder: Folder, task: TaskName): Promise<void> {
		await perform(await operations.deleteTasks(), IN_WINDOW, { tasks: [task] }, this.contextOf(folder));
	}

	/** The place of an operation in this folder. */
	contextOf(folder: Folder) {
		return operationContext(folder, this.tools);
	}

	/** Installed once in the life of a window; again after a failure. */
	private async runtimeFolder(): Promise<InstalledRuntime> {
		this.runtime ??= runningNode().then(node =>
			installRuntime(sourcesIn(this.extensionPath, 'package'), this.version, dataFolder(), node),
		);
		try {
			return await this.runtime;
		} catch (error) {
			this.runtime = undefined;
			throw error;
		}
	}
}

function modeInWords({
	id,
	label,
	detail,
	asks,
}: Record<'label' | 'detail', string | Phrase> & { id: string; asks?: boolean | undefined }): AgentMode {
	return { id, label: translated(label), detail: translated(detail), asks };
}

function stoppedElsewhere(worker: string): string {
	return vscode.l10n.t(
		'{0} counts as stopped. It was started on another machine or in a container: if it still runs, end it there.',
		worker,
	);
}

/** The program that runs the hooks: a Node on the PATH, else the editor's own. */
async function runningNode(): Promise<NodeProgram> {
	const running = { executable: process.execPath, isElectron: process.versions['electron'] !== undefined };
	return vscode.workspace.isTrusted ? findNode(process.env, running) : running;
}

/** Skills make it a long list, so only its head is named. */
function cleanedUp(changed: readonly string[]): string[] {
	const [first, ...others] = changed;
	if (first === undefined) return [];
	return others.length < 2
		? [vscode.l10n.t('Cleaned up: {0}.', changed.join(', '))]
		: [vscode.l10n.t('Cleaned up: {0} and {1} more.', first, others.length)];
}

function nameOf(agent: DriverId): string {
	return driverById(agent)?.displayName ?? agent;
}
