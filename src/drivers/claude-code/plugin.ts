import { entriesFor, group, lineOf } from './deployment.ts';
import { ID } from './events.ts';
import { eventFloors, OLDEST } from './versions.ts';

/** The plugin's place in the folder of its marketplace. */
export const PLUGIN_FOLDER = 'nancy';

const DESCRIPTION =
	'Connects Claude Code to Nancy: reports what a session does, and hands over the messages that you send it.';

/**
 * Codex names a server no folder of the plugin, so this looks for the installed one. Without any, there is no server. A relative folder would
 * be one of the repository.
 */
const SERVER =
	'for data in "$XDG_DATA_HOME" "$HOME/.local/share" "$HOME/Library/Application Support"; ' +
	'do case $data in /*) [ -O "$data/nancy/plugin/nancy/door" ] && exec sh "$data/nancy/plugin/nancy/door" mcp ;; ' +
	'esac; done; exit 0';

/** By their path in the marketplace's folder: the files of the plugin that say the same as a deployment. */
export function pluginFiles(version: string): Readonly<Record<string, string>> {
	const author = { name: 'Nancy' };
	return {
		'.claude-plugin/marketplace.json': json({
			name: 'nancy',
			owner: author,
			description: 'The plugin of Nancy, as installed on this machine.',
			plugins: [{ name: 'nancy', source: `./${PLUGIN_FOLDER}`, description: DESCRIPTION, version }],
		}),
		[`${PLUGIN_FOLDER}/.claude-plugin/plugin.json`]: json({
			name: 'nancy',
			version,
			description: DESCRIPTION,
			author,
			license: 'MIT',
			keywords: ['messages', 'orchestration', 'parallel agents'],
		}),
		[`${PLUGIN_FOLDER}/hooks/hooks.json`]: json({ description: DESCRIPTION, hooks: hooks() }),
		[`${PLUGIN_FOLDER}/.mcp.json`]: json({
			mcpServers: { nancy: { command: 'sh', args: ['-c', SERVER] } },
		}),
	};
}

/** One plugin serves every version of the CLI, so it has the events that all of them know since there is a wake. */
function hooks(): Record<string, object[]> {
	const known: Record<string, object[]> = {};
	for (const entry of entriesFor(eventFloors['FileChanged'] ?? OLDEST)) {
		const call = `"$CLAUDE_PLUGIN_ROOT/door" ${ID} ${entry.event} ${entry.slot} "$CLAUDE_PROJECT_DIR"`;
		(known[entry.event] ??= []).push(group(entry, lineOf(entry, '[ -f "$CLAUDE_PLUGIN_ROOT/door" ]', call)));
	}
	return known;
}

function json(value: unknown): string {
	return `${JSON.stringify(value, null, 2)}\n`;
}
