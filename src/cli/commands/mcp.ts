import * as z from 'zod/mini';
import { McpServer } from '../../mcp/server.ts';
import { INSTRUCTIONS, tools } from '../../mcp/tools.ts';
import type { Meta } from '../../protocol/mcp.ts';
import { command } from '../command.ts';
import { ExitCode } from '../failure.ts';
import { withCancel } from '../withCancel.ts';

export const mcp = command(
	{
		name: 'mcp',
		summary: 'serve an agent its mailbox and its delegates as MCP tools, on standard input and output',
		details: [
			'For the settings of an agent, which starts this command itself. The tools hand over and file the messages of that agent alone, show ' +
				'a line of its own words beside its name, and start delegates as nancy delegate does. None answers or shows what agents ask their user.',
			'Nancy lets no agent call them unasked: each CLI asks as its user has set it.',
		],
		positionals: [],
		options: {},
		examples: [['nancy mcp', 'what the settings of an agent name as a server']],
	},
	z.object({}),
	async (_, { askerNow, given, send, stdin, version, ...program }) => {
		const callerOf = async (meta: Meta) => {
			const found = await import('../../mcp/callerOf.ts');
			return found.callerOf({ ...program, version, asker: askerNow() }, given, meta);
		};
		const server = new McpServer({ input: stdin, send }, { version, instructions: INSTRUCTIONS, tools, callerOf });
		await withCancel(signal => server.serve(signal));
		stdin.destroy?.();
		return ExitCode.ok;
	},
);
