import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { hasErrno, NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { LaunchPlace } from '../../core/driver/launchPlace.ts';

/** `[mcp_servers.name]`, and tables below it. */
const TABLE = /^\s*\[\s*mcp_servers\s*\.\s*(?:"([^"\\]+)"|'([^']+)'|([\w-]+))\s*[\].]/;
/** Any other way to name servers. */
const OTHER = /^\s*(?:\[{1,2}\s*(?:(?:[\w-]+|"[^"]*"|'[^']*')\s*\.\s*)*)?["']?mcp_servers\b/;

/**
 * The MCP servers that the settings of the user and of the system name. One that is switched off by name does not start, and offers no
 * tools. The CLI has no flag that switches off all of them.
 * @throws NancyError `settings-broken` where they are written in another way than as tables: one of them could stay on
 */
export function serverNames(env: LaunchPlace['env']): string[] {
	const own = join(env['CODEX_HOME'] || join(env['HOME'] || homedir(), '.codex'), 'config.toml');
	return [...new Set([own, '/etc/codex/config.toml'].flatMap(namesIn))];
}

function namesIn(path: string): string[] {
	return textOf(path)
		.split('\n')
		.flatMap(line => {
			const [, double, single, bare] = TABLE.exec(line) ?? [];
			const name = double ?? single ?? bare;
			if (name !== undefined) return [name];
			if (!OTHER.test(line)) return [];
			throw new NancyError(
				'settings-broken',
				phrase`${path} names MCP servers in a line that Nancy cannot read; write each as a table [mcp_servers.name]`,
			);
		});
}

function textOf(path: string): string {
	try {
		return readFileSync(path, 'utf8');
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return '';
		throw error;
	}
}
