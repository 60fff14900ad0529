import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { openTerminal, plainProfile } from '../kit/terminals.ts';
import { requireTrust } from '../trust.ts';
import type { ProjectItem } from './memoryItems.ts';
import type { MemoryOperations, Session } from './memoryPorts.ts';

/** Terminals in which `nancy start` runs the tasks of a project. */
export class ProjectTerminals {
	constructor(private readonly operations: Pick<MemoryOperations, 'session'>) {}

	async open(item: ProjectItem, session: Omit<Session, 'project'> = {}): Promise<void> {
		openTerminal(await this.optionsOf(item, session)).show();
	}

	async profile(item: ProjectItem): Promise<vscode.TerminalProfile> {
		return plainProfile(await this.optionsOf(item, {}));
	}

	private async optionsOf({ folder, project }: ProjectItem, session: Omit<Session, 'project'>) {
		requireTrust();
		const { command, args, env } = await this.operations.session({ ...session, project: project.project });
		return {
			name: l10n.t('Project {0}', project.project),
			shellPath: command,
			shellArgs: [...args],
			env: { ...env },
			cwd: folder.path,
			iconPath: new vscode.ThemeIcon('book'),
			// After a reload it would run the first task again.
			isTransient: true,
		};
	}
}
