import { dataFolder } from '../base/folders.ts';
import { Tickets } from '../core/delegates/tickets.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import type { Runtime } from '../core/deployment/runtime.ts';
import type { QueueOptions } from '../delegates/delegateQueue.ts';
import type { CommonSettings } from '../protocol/settings.ts';
import { nancyOf } from './agents.ts';
import type { Context } from './command.ts';

/** The user's tickets for this workspace, from wherever the command is called. */
export function ticketsOf({ env }: Context, { folder }: Workspace): Tickets {
	return new Tickets(dataFolder(env), folder);
}

/** This process's view of the queue: as set, unless the environment says otherwise. */
export function queueOptions(
	context: Context,
	workspace: Workspace,
	runtime: Runtime,
	settings: CommonSettings,
): QueueOptions {
	const { env } = context;
	const host = env['NANCY_DELEGATES_HOST'] ?? settings.host;
	return {
		tickets: ticketsOf(context, workspace),
		nancy: nancyOf(runtime),
		cap: capIn(env) ?? settings.max,
		...(host !== undefined && { env: { NANCY_DELEGATES_HOST: host } }),
	};
}

/** The limit of parallel delegates that the user's shell sets, if any. */
function capIn(env: Context['env']): number | undefined {
	const cap = Number(env['NANCY_DELEGATES']);
	return Number.isInteger(cap) && cap > 0 ? cap : undefined;
}
