import { errorText } from '../base/errors.ts';
import type { SeenSettings } from '../core/asker/seenSettings.ts';
import type { Driver } from '../core/driver/driver.ts';
import { runHeadless, type Ending } from './headlessRun.ts';

/** The settings of a CLI that an agent has asked for; `workspaceFolder` is the one where that agent can write. */
export interface SettingsToSee {
	seen: SeenSettings;
	driver: Driver;
	workspaceFolder: string;
	/** The agent works in a worktree that was made for it, and where nobody else works. */
	isInOwnWorktree: boolean;
}

/**
 * {@link runHeadless}. If another agent has asked for the agent, there are `settings`: see {@link SeenSettings}. Nancy looks at them right
 * before the start, in the workspace and where the agent works. The CLI reads them itself, up to seconds later. So Nancy looks once more at
 * its first event, and ends it if they changed.
 */
export async function runSeen(
	settings: SettingsToSee | undefined,
	...[program, format, limits, listener, signal]: Parameters<typeof runHeadless>
): Promise<Ending> {
	if (!settings) return runHeadless(program, format, limits, listener, signal);
	const { seen, driver, workspaceFolder, isInOwnWorktree } = settings;
	const folders = [...new Set([workspaceFolder, program.cwd])];
	const refused = (reason: string): Ending => {
		listener.onNoise(reason);
		return { is: 'no-result', reason };
	};
	for (const folder of folders) {
		const reason = await refusal(seen.require(driver, folder));
		if (reason !== undefined) return refused(reason);
	}
	const changed = new AbortController();
	let looking: Promise<string | undefined> | undefined;
	const lookAgain = () =>
		(looking ??= Promise.all(
			folders.map(folder =>
				refusal(seen.requireStill(driver, folder, isInOwnWorktree && folder !== workspaceFolder)),
			),
		).then(reasons => {
			const reason = reasons.find(each => each !== undefined);
			if (reason !== undefined) changed.abort();
			return reason;
		}));
	const ending = await runHeadless(
		program,
		format,
		limits,
		{
			...listener,
			onEvent: event => {
				void lookAgain();
				listener.onEvent(event);
			},
		},
		AbortSignal.any([signal, changed.signal]),
	);
	const reason = await lookAgain();
	return reason === undefined ? ending : refused(reason);
}

/** Why the settings are refused, or could not be looked at. */
async function refusal(look: Promise<void>): Promise<string | undefined> {
	try {
		await look;
		return undefined;
	} catch (error) {
		return errorText(error);
	}
}
