import * as vscode from 'vscode';
import { Emitter } from '../base/event.ts';
import { dataFolder } from '../base/folders.ts';
import { keepProgramsOutOf } from '../base/searchPath.ts';
import { DeploymentKeeper, type Kept } from '../core/deployment/keeper.ts';
import { LiveQuestions } from '../core/live/liveQuestions.ts';
import { WorkspaceModel } from '../core/live/model.ts';
import { eventDetail } from '../core/traffic/eventDetail.ts';
import { agentsFolders } from '../core/workspace/placeFrom.ts';
import { Workspace } from '../core/workspace/workspace.ts';
import { allDrivers, driverById, drivers } from '../drivers/index.ts';
import { deskRules } from '../operations/shared/deskRules.ts';
import { SETTINGS } from '../ui/contributions.ts';
import { inform } from '../ui/kit/messages.ts';
import type { Folder } from '../ui/ports.ts';
import { notifyProgram, trafficLimits } from '../ui/settings.ts';
import { QuestionTeller } from '../process/questionTeller.ts';
import { tellProgram } from '../process/tellProgram.ts';
import type { QuestionId } from '../protocol/question.ts';
import type { WindowOperations } from './windowOperations.ts';

/** A model of a folder that is looked at, and acts on what it finds there. */
export function modelOf(path: string, operations: WindowOperations): WorkspaceModel {
	const workspace = new Workspace(path);
	// A window looks by itself, without an operation.
	keepProgramsOutOf(agentsFolders(path));
	return new WorkspaceModel(workspace, allDrivers, {
		ask: driver => operations.ask(driver),
		tickets: operations.delegates.ticketsIn(workspace),
		lookAtQueue: delegates => operations.delegates.look(delegates),
		readOnly: !vscode.workspace.isTrusted,
		collector: { limits: trafficLimits(path) },
	});
}

export interface FolderParts {
	name: string;
	path: string;
	model: WorkspaceModel;
	operations: WindowOperations;
	log: vscode.LogOutputChannel;
	/** A failure in the background. */
	warn: (error: unknown) => void;
	onDispose: () => void;
}

/** A folder of the window, with its deployments and its setting for hooks kept as they should be. */
export function liveFolder({ name, path, model, operations, log, warn, onDispose }: FolderParts): Folder {
	const readOnly = !vscode.workspace.isTrusted;
	const rules = deskRules({ env: process.env, workspace: model.workspace });
	const questions = new LiveQuestions(model.workspace, { readOnly, drivers, rules, fail: warn });
	const changed = new Emitter<void>();
	// Both end with their emitters.
	questions.onDidChange(() => changed.fire());
	model.onDidChange(() => {
		questions.seeEvents();
		changed.fire();
	});
	const folder: Folder = {
		name,
		path,
		workspace: model.workspace,
		onDidChange: changed.event,
		onDidNeedAttention: model.onDidNeedAttention,
		overview: () => model.overview(),
		messages: address => model.messages(address),
		delegates: () => model.delegates(),
		sessions: () => model.sessions(),
		eventDetail: (session, node) =>
			eventDetail(model.workspace.paths, session, node, id => driverById(id)?.eventWords),
		questions: () => questions.all(),
		pastQuestions: () => questions.past(),
		question: id => questions.find(id),
		refresh: async () => {
			await Promise.all([questions.refresh(), model.refresh()]);
		},
		dispose: () => {
			onDispose();
			teller?.dispose();
			questions.dispose();
			changed.dispose();
			keeper.dispose();
			settings.dispose();
			void model.close();
		},
	};
	const tell = (question: QuestionId) => tellProgram(notifyProgram(), model.workspace, question);
	const asks = { questions: () => questions.all(), onDidChange: questions.onDidChange };
	const teller = readOnly ? undefined : new QuestionTeller(asks, tell, warn);
	const settings = vscode.workspace.onDidChangeConfiguration(change => {
		if (!change.affectsConfiguration(SETTINGS.hooks, vscode.Uri.file(path))) return;
		operations.keepHooksChoice(folder).catch(warn);
	});
	const keeper = new DeploymentKeeper(model.workspace, drivers, dataFolder(), driver =>
		operations.deployRequest(folder, driver),
	);
	keeper.onDidRepair(repair => sayRepaired(log, repair));
	keeper.onDidFail(warn);
	if (vscode.workspace.isTrusted) operations.worktrees.settle(folder).catch(warn);
	return folder;
}

function sayRepaired(log: vscode.LogOutputChannel, { driver, changed }: Kept): void {
	const text = vscode.l10n.t(
		'Something had removed or changed Nancy’s hooks for {0}; they are in place again: {1}.',
		driver.displayName,
		changed.join(', '),
	);
	log.info(text);
	void inform(text);
}
