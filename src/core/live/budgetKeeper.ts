import { budgetText } from '../../protocol/budget.ts';
import type { MessageId } from '../../protocol/names.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import { Budgets } from '../budgets/budgets.ts';
import type { StoredMessage } from '../mailbox/mailboxFiles.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';
import type { BudgetView, TaskView, WorkerState } from './overview.ts';
import { mailboxName } from '../workspace/mailboxName.ts';
import type { TaskMirror } from './taskMirror.ts';

/** How long a pause may take to be seen in its mailbox, and one that was handed over to end the turn. In milliseconds. */
const SEEN_MS = 5000;

/**
 * Pauses the workers of a task whose budget is used up, by a message with that effect, in each turn that they begin. Once the budget is
 * raised or removed, pauses that wait are taken back. One per workspace: the keeper of the mailboxes.
 */
export class BudgetKeeper {
	private readonly budgets: Budgets;
	private readonly sentMs = new Map<string, number>();

	constructor(
		private readonly workspace: Workspace,
		private readonly tasks: Pick<TaskMirror, 'inState'>,
		private readonly now: () => number,
	) {
		this.budgets = new Budgets(workspace.own);
	}

	async tend({ record: { name }, workers, budget }: TaskView): Promise<void> {
		if (budget) await this.budgets.noteLevel({ task: name }, budget.level);
		for (const { record, state } of workers) {
			// A delegate ends by its runner.
			if (record.delegate === undefined) await this.tendWorker(record, state, budget);
		}
	}

	private async tendWorker({ task, name }: WorkerRecord, state: WorkerState, view?: BudgetView): Promise<void> {
		const address = { task, worker: name };
		const waiting = this.pauses(address, ['queued', 'claimed']);
		if (view?.level !== 'spent') return this.takeBack(address, waiting);
		if (state.phase !== 'working' || waiting.length > 0) return;
		const inThisTurn = this.pauses(address, ['delivered']).flatMap(({ receipt }) =>
			receipt && receipt.deliveredAt >= state.since ? [receipt] : [],
		);
		// At a prompt it is only read. Before a tool it has ended the turn, or is about to.
		if (inThisTurn.some(receipt => receipt.tool !== undefined)) return;
		const lastMs = Math.max(
			this.sentMs.get(mailboxName(address)) ?? -Infinity,
			...inThisTurn.map(receipt => Date.parse(receipt.deliveredAt)),
		);
		if (this.now() - lastMs <= SEEN_MS) return;
		this.sentMs.set(mailboxName(address), this.now());
		const text = `The budget of this task (${budgetText(view.budget)}) is used up. End your turn here. The user can raise the budget.`;
		await this.workspace.send(
			address,
			{ kind: 'directive', priority: 'urgent', effect: 'pause', text },
			{ is: 'nancy' },
		);
	}

	private async takeBack(address: WorkerAddress, waiting: readonly StoredMessage[]): Promise<void> {
		const ids: MessageId[] = waiting.filter(({ state }) => state === 'queued').map(({ id }) => id);
		for (const id of ids) await this.workspace.mailbox(address).withdraw(id);
	}

	private pauses(address: WorkerAddress, states: readonly StoredMessage['state'][]): StoredMessage[] {
		const isOwn = ({ author, content }: StoredMessage) => author.is === 'nancy' && content.effect === 'pause';
		return states.flatMap(state => this.tasks.inState(address, state).filter(isOwn));
	}
}
