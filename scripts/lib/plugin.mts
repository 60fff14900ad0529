import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLUGIN_FOLDER, pluginFiles } from '../../src/drivers/claude-code/plugin.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Writes the folder of the plugin's marketplace anew. Hooks are those of a deployment, and skills those of `skills/`. */
export function buildPlugin(out: string): void {
	const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	rmSync(out, { recursive: true, force: true });
	cpSync(join(root, 'plugin'), join(out, PLUGIN_FOLDER), { recursive: true });
	cpSync(join(root, 'skills'), join(out, PLUGIN_FOLDER, 'skills'), { recursive: true });
	for (const [name, text] of Object.entries(pluginFiles(version))) {
		mkdirSync(dirname(join(out, name)), { recursive: true });
		writeFileSync(join(out, name), text);
	}
}
