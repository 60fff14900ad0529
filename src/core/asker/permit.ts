import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { isStanding } from '../questions/reply.ts';
import type { Effect } from '../../protocol/question.ts';
import type { WorkerAddress } from '../workspace/workspace.ts';
import type { Asker, AskingAgent } from './asker.ts';

/** An operation, with the facts that decide whether an agent may do it. */
export type UseCase =
	/** Anything, in the workspace of this folder. */
	| { is: 'work-in'; folder: string; isOwn: boolean }
	/** Write other tools' settings: set up, update, repair, clean up. */
	| { is: 'change-settings'; command: string }
	| { is: 'change-tasks'; what: 'archive' | 'restore' | 'delete' | 'rename' }
	/** Set what a task or a delegate may take. */
	| { is: 'set-budget'; what: string }
	/** Have a delegate run on another machine. */
	| { is: 'use-machine'; on: string; isOpen: boolean; hasBudget: boolean }
	/** Name another machine in the user's settings. */
	| { is: 'name-machine'; name: string }
	/** See which other machines the user has. */
	| { is: 'see-machines' }
	/** Do what another machine has sent here: see `executors/there`. */
	| { is: 'do-step' }
	/** Have a delegate run in a sandbox, or without one, whatever the user has set. */
	| { is: 'choose-isolation' }
	/** Read what agents ask for, and what was answered. */
	| { is: 'see-questions' }
	/** Allow or deny what an agent asks for. */
	| { is: 'answer-question'; effect: Effect }
	/** Allow something that has a risk: see core/questions/risks. */
	| { is: 'allow-risk' }
	/** Open the desk's server: its devices answer questions. */
	| { is: 'serve-desk' }
	/** Change the rules by which Nancy answers for the user. */
	| { is: 'change-rules' }
	/** Mark a message to the human as read. */
	| { is: 'read-mail' }
	/** Change the words or the order of queued messages. */
	| { is: 'change-queue'; what: string }
	| { is: 'archive'; mailbox: WorkerAddress }
	| { is: 'withdraw'; id: string; isOwn: boolean }
	/** Start an agent in a terminal. */
	| { is: 'start-worker'; what: string; isOwn: boolean }
	/** End an agent that is no delegate. */
	| { is: 'stop-worker'; what: string; isOwn: boolean }
	| { is: 'stop-delegate'; what: string; isOwn: boolean }
	| { is: 'delete-delegate'; what: string; isOwn: boolean }
	| { is: 'resume-delegates'; what: string; isOwn: boolean }
	/** Start one again with the permissions and commands that it had. */
	| { is: 'repeat-delegate'; what: string }
	/** Bring the changes of a delegate's worktree into the checkout, or remove the worktree. */
	| { is: 'change-worktree'; what: string }
	/** Hand an agent a file that the asker itself may be denied to read. */
	| { is: 'prompt-file'; file: string }
	| { is: 'output-file'; file: string }
	/** Draw a file, or what a command prints. */
	| { is: 'draw' }
	/** See or change what is remembered of projects, or run a task of one. */
	| { is: 'use-memory' };

type Kind = UseCase['is'];

/** Why an agent may not, as the end of "an agent may not …"; `undefined` if it may. A person at this machine may do everything. */
const bounds: { [K in Kind]: (asker: AskingAgent, useCase: Extract<UseCase, { is: K }>) => string | undefined } = {
	'work-in': (_, { folder, isOwn }) =>
		isOwn ? undefined : `work in ${folder}, outside its own workspace; leave -C away`,
	'change-settings': (_, { command }) => `change the settings of agents and tools; ask the user to run: ${command}`,
	'change-tasks': (_, { what }) => `${what} tasks; ask the user to`,
	'use-machine': (_, { on, isOpen, hasBudget }) => {
		if (!isOpen) return `run a delegate on ${on}; ask the user to, or to open it to agents`;
		// Nobody counts there what it takes.
		return hasBudget ? `run a delegate on ${on}, because its task has a budget; ask the user to` : undefined;
	},
	'name-machine': (_, { name }) => `name a machine ${name}; ask the user to`,
	'see-machines': () => 'ask for the user’s other machines',
	'do-step': () => 'run the steps of a remote delegate',
	'choose-isolation': () => 'choose how a delegate is isolated; ask the user to',
	'set-budget': (_, { what }) => `set the budget of ${what}; ask the user to`,
	'see-questions': () => 'see what agents ask the user',
	'answer-question': () => 'answer a question to the user',
	'allow-risk': () => 'allow what has a risk',
	'serve-desk': () => 'open the desk for browsers; ask the user to run: nancy serve',
	'change-rules': () => 'change the rules by which Nancy answers for the user',
	'read-mail': () => 'mark messages to the user as read',
	'change-queue': (_, { what }) => `${what}; ask the user to`,
	archive: ({ worker }, { mailbox }) =>
		isSame(worker?.address, mailbox)
			? undefined
			: `archive messages of ${mailbox.task}/${mailbox.worker}, which is another one’s mailbox`,
	withdraw: (_, { id, isOwn }) => (isOwn ? undefined : `take back message ${id}; only its sender or the user can`),
	'start-worker': (_, { what, isOwn }) =>
		isOwn ? undefined : `start or resume a worker of ${what}; it starts new workers of its own task`,
	'stop-worker': (_, { what, isOwn }) => (isOwn ? undefined : `stop ${what}; it stops itself and its own delegates`),
	'stop-delegate': (_, { what, isOwn }) => (isOwn ? undefined : `stop ${what}, which it has not asked for`),
	'delete-delegate': (_, { what, isOwn }) => (isOwn ? undefined : `delete ${what}, which it has not asked for`),
	'resume-delegates': (_, { what, isOwn }) => (isOwn ? undefined : `let ${what} go on, which it has not asked for`),
	'repeat-delegate': (_, { what }) => `repeat ${what}; delegate its prompt anew`,
	'change-worktree': (_, { what }) => `${what}; ask the user to`,
	'prompt-file': (_, { file }) =>
		`hand over ${file} by its name; read it and pass the text with --stdin, or as an argument`,
	'output-file': (_, { file }) => `have ${file} written; take the answer from standard output`,
	draw: () => 'have files and commands drawn; ask the user to',
	'use-memory': () => 'see or change the notes of projects; what it needs of them, it is told',
};

/** @throws NancyError `not-trusted` if the asker may not do it. To an agent, the text says why Nancy takes the asker for one */
export function permit(asker: Asker, useCase: UseCase): void {
	if (asker.is === 'human') {
		if (asker.via === 'page') permitOnDevice(useCase);
		return;
	}
	const refused = refusalOf(asker, useCase);
	if (refused === undefined) return;
	throw new NancyError('not-trusted', `an agent may not ${refused}. You count as an agent because ${asker.because}.`);
}

/** Nothing that is said at a page holds for longer than one request. */
function permitOnDevice(useCase: UseCase): void {
	if (useCase.is === 'allow-risk')
		throw new NancyError(
			'not-trusted',
			phrase`This has a risk, so a page cannot allow it. Answer it in VS Code or the terminal.`,
		);
	if (useCase.is === 'answer-question' && isStanding(useCase.effect)) throw notOnPage();
}

export function notOnPage(): NancyError {
	return new NancyError(
		'not-trusted',
		phrase`This is not done from a page. Do it on the computer, in VS Code or a terminal.`,
	);
}

function refusalOf<K extends Kind>(asker: AskingAgent, useCase: Extract<UseCase, { is: K }>): string | undefined {
	const bound = bounds[useCase.is];
	return bound(asker, useCase);
}

function isSame(one: WorkerAddress | undefined, other: WorkerAddress): boolean {
	return one?.task === other.task && one.worker === other.worker;
}
