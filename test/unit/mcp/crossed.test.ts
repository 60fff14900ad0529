import { PassThrough } from 'node:stream';
import * as z from 'zod/mini';
import { describe, expect, it } from 'vitest';
import { IN_TERMINAL } from '../../../src/core/asker/asker.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { McpServer } from '../../../src/mcp/server.ts';
import { tool } from '../../../src/mcp/tool.ts';
import { eventually } from '../../support/eventually.ts';
import { contextOf } from '../../support/operationContext.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const nobody = { asker: IN_TERMINAL, cwd: '/', session: undefined, waits: undefined };

describe('a call that was answered', () => {
	it.each(['before', 'after'] as const)(
		'is known as dropped if its client breaks it off %s the tool has ended',
		async when => {
			await using folder = tempFolder();
			const lines: string[] = [];
			const input = new PassThrough();
			let isDropped = false;
			const answering = tool(
				{ name: 'answer', title: '', description: '', annotations: { readOnlyHint: true } },
				z.object({}),
				async (_, _caller, call) => {
					await call.reply('Here.');
					if (when === 'before') await eventually('it is broken off', () => call.signal.aborted);
					await call.ifDropped(async () => (isDropped = true));
					return undefined;
				},
			);
			const send = async (line: string) => lines.push(line) > 0;
			const callerOf = () =>
				Promise.resolve({ ...nobody, context: contextOf(folder, new Workspace(folder.path)) });
			const server = new McpServer(
				{ input, send },
				{ version: '1', instructions: '', tools: [answering], callerOf },
			);
			const served = server.serve(new AbortController().signal);
			input.write('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"answer"}}\n');
			await eventually('it is answered', () => lines.length === 1);
			input.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n');
			await eventually('it is dropped', () => isDropped);
			input.end();
			await served;
			expect(lines).toHaveLength(1);
		},
	);
});
