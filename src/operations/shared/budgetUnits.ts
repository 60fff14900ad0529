import { NancyError } from '../../base/errors.ts';
import { phrase, type Named, type Phrase } from '../../base/phrase.ts';
import { Delegates } from '../../core/delegates/delegates.ts';
import type { BudgetOwner } from '../../core/budgets/budgets.ts';
import type { Driver } from '../../core/driver/driver.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import { driverById } from '../../drivers/index.ts';
import { unitOf, type Budget, type BudgetUnit } from '../../protocol/budget.ts';
import type { DriverId, TaskName } from '../../protocol/names.ts';
import type { TaskRecord } from '../../protocol/records.ts';
import type { OperationContext } from '../operation.ts';

/** What a budget can be kept by. */
interface Units {
	units: BudgetUnit[];
	/** The agents of which nothing is known. */
	silent: string[];
}

/** What the CLIs of a task or of a delegate tell while their agents work. */
export async function budgetUnits(owner: BudgetOwner, { workspace }: OperationContext): Promise<Units> {
	if ('delegate' in owner) {
		const { record, state } = await new Delegates(workspace).get(owner.delegate);
		return unitsOf([record.agent], driver => toldBy(driver, record.permissions, state !== 'running'));
	}
	const { agent } = await workspace.task(owner.task);
	const agents = await agentsInTerminals(owner.task, workspace);
	return unitsOf(agents.length > 0 ? agents : [agent], ({ tells }) => tells.inTerminal);
}

/** What the CLIs of a task tell once this one works in it, too. Without a task, this one alone. */
export async function unitsWith(
	joining: DriverId,
	task: TaskRecord | undefined,
	{ workspace }: OperationContext,
): Promise<Units> {
	const agents = task ? await agentsInTerminals(task.name, workspace) : [];
	return unitsOf([...agents, joining], ({ tells }) => tells.inTerminal);
}

async function agentsInTerminals(task: TaskName, workspace: Workspace): Promise<DriverId[]> {
	const { workers } = await workspace.workers(task);
	return workers.filter(({ delegate }) => delegate === undefined).map(({ agent }) => agent);
}

/** @throws NancyError `bad-usage` for a budget that nobody could keep */
export function requireTold(budget: Budget, { units, silent }: Units, of: Phrase | Named): void {
	const unit = unitOf(budget);
	if (units.includes(unit)) return;
	const who = silent.length > 0 ? silent.join(', ') : phrase`the agent of ${of}`;
	throw new NancyError(
		'bad-usage',
		unit === 'tokens'
			? phrase`${who} does not tell tokens while it works, so no such budget can be kept`
			: phrase`${who} does not tell dollars while it works, so no such budget can be kept`,
	);
}

/** What the delegates of this CLI can be held to. @param permissions its most careful mode if absent */
export function unitsAtStart(driver: Driver, permissions: string | undefined): Units {
	const units = [...new Set(toldBy(driver, permissions, true))];
	return { units, silent: units.length === 0 ? [driver.displayName] : [] };
}

function toldBy(
	{ tells, headless }: Driver,
	permissions: string | undefined,
	isAtStart: boolean,
): readonly BudgetUnit[] {
	const mode = headless === 'none' ? undefined : headless.permissionModes.find(({ id }) => id === permissions);
	return mode?.tells ?? [...tells.headless, ...(isAtStart ? tells.atStart : [])];
}

function unitsOf(agents: readonly DriverId[], told: (driver: Driver) => readonly BudgetUnit[]): Units {
	const drivers = [...new Set(agents)].map(id => ({ id, driver: driverById(id) }));
	const units = drivers.flatMap(({ driver }) => (driver ? told(driver) : []));
	const silent = drivers.filter(({ driver }) => !driver || told(driver).length === 0);
	return {
		units: [...new Set(units)],
		silent: silent.map(({ id, driver }) => driver?.displayName ?? id),
	};
}
