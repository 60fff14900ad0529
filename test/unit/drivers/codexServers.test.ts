import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverNames } from '../../../src/drivers/codex/mcpServers.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

let folder: TempFolder;
beforeEach(() => (folder = tempFolder()));
afterEach(() => folder.remove());

/** The servers to switch off, by the text of config.toml. */
function servers(text: string): string[] {
	writeFileSync(folder.file('config.toml'), text);
	return serverNames({ CODEX_HOME: folder.path });
}

describe('the MCP servers of a user of Codex', () => {
	it('are those of the tables in config.toml', () => {
		expect(serverNames({ CODEX_HOME: folder.file('none') })).toEqual([]);
		const text =
			'# mcp_servers\n[mcp_servers.a]\ncommand = "x"\n[mcp_servers.a.env]\n[ mcp_servers . "b c" ] # B\n';
		expect(
			servers(
				`${text}[mcp_servers.'d.e']\n[features]\nx = "[mcp_servers.f]"\n[projects."/home/me/mcp_servers"]\n`,
			),
		).toEqual(['a', 'b c', 'd.e']);
	});

	it.each([
		'mcp_servers = { a = { command = "x" } }',
		'mcp_servers.a.command = "x"',
		'"mcp_servers" = {}',
		'[mcp_servers]\na = { command = "x" }',
		'[profiles.p.mcp_servers.a]',
		'[["mcp_servers"]]',
	])('are not guessed where they are written in another way: %s', text => {
		expect(() => servers(text)).toThrow(/write each as a table/);
	});
});
