import * as vscode from 'vscode';
import type * as Late from './late.ts';
import type { CommandId } from './ui/contributions.ts';

/** As test/unit/manifest.test.ts holds it to the code. */
interface Manifest {
	readonly contributes: {
		readonly commands: readonly { readonly command: CommandId }[];
		readonly menus: {
			readonly commandPalette: readonly { readonly command: CommandId; readonly when: string }[];
		};
	};
}

/** A failure stays: what was registered cannot be registered again. */
let begun: Promise<Late.Late> | undefined;

/**
 * Registers the commands of the manifest and imports nothing, because every window pays for this file. VS Code waits for views that are
 * registered after the activation, but reports a command as unknown. Commands that the palette hides are only in what Nancy itself has drawn,
 * so they follow.
 */
export function activate(context: vscode.ExtensionContext): void {
	const begin = () =>
		(begun ??= (async () => {
			// `require` and not `import()`: VS Code gives its API to modules that are required.
			const late: typeof Late = require('./late.js');
			return late.begin(context);
		})());
	const { commands, menus }: Manifest['contributes'] = context.extension.packageJSON.contributes;
	const hidden = new Set(menus.commandPalette.flatMap(({ command, when }) => (when === 'false' ? [command] : [])));
	const register = (isHidden: boolean) =>
		context.subscriptions.push(
			...commands
				.filter(({ command }) => hidden.has(command) === isHidden)
				.map(({ command }) =>
					vscode.commands.registerCommand(command, async (...args: unknown[]) =>
						(await (await begin()).load()).run(command, args),
					),
				),
		);
	const soon = setImmediate(() => {
		register(true);
		void begin();
	});
	context.subscriptions.push({ dispose: () => clearImmediate(soon) });
	register(false);
}

/** VS Code waits for this promise, five seconds at most. Agents go on working: they are not the window's. */
export async function deactivate(): Promise<void> {
	const late = await begun?.catch(() => undefined);
	await late?.stop();
}
