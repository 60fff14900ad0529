import { unknownAgent, type Asker } from '../core/asker/asker.ts';
import { driverById } from '../drivers/index.ts';
import type { Caller } from '../operations/shared/caller.ts';
import { findWorkspace } from '../operations/shared/place.ts';
import { programContext } from '../operations/shared/programContext.ts';
import type { Meta } from '../protocol/mcp.ts';
import { SessionId } from '../protocol/names.ts';
import type { ToolCaller } from './tool.ts';

/**
 * Who calls a tool. The session is only named: the operations ask whether it is the caller's.
 * @param given the environment that the agent's CLI has given the server
 */
export function callerOf(program: Caller, given: Caller['env'], meta: Meta): ToolCaller {
	const { cwd } = program;
	const asker = asModel(program.asker, cwd);
	const mcp = asker.driver === undefined ? undefined : driverById(asker.driver)?.mcp;
	const from = mcp?.session ?? 'none';
	const named = from === 'none' ? undefined : 'variable' in from ? given[from.variable] : meta[from.field];
	const workspace = findWorkspace({ ...program, asker });
	const context = programContext(workspace, program);
	return { asker, context, cwd, session: SessionId.safeParse(named).data, waits: mcp?.waits };
}

/** A person may have started the server. Whoever calls its tools is none. */
function asModel(asker: Asker, calledIn: string): Extract<Asker, { is: 'agent' }> {
	if (asker.is === 'agent') return asker;
	return unknownAgent(calledIn, 'the tools of nancy mcp are called by a model');
}
