import { errorText } from '../base/errors.ts';
import type { SeenSettings } from '../core/asker/seenSettings.ts';
import type { Driver } from '../core/driver/driver.ts';
import { runHeadless, type Ending } from './headlessRun.ts';

/** The settings of a CLI that an agent has asked for; `workspaceFolder` is the one where that agent can write. */
export interface SettingsToSee {
	seen: SeenSettings;
	driver: Driver;
	workspaceFolder: string;
}

/**
 * {@link runHeadless}. If another agent has asked for the agent, there are `settings`: see {@link SeenSettings}. Nancy looks at them right
 * before the start. The CLI reads them itself, up to seconds later. So Nancy looks once more at its first event, and ends it if they changed.
 * A worktree is looked at only before: the asker cannot write there, and some CLIs complete their settings when they start.
 */
export async function runSeen(
	settings: SettingsToSee | undefined,
	...[program, format, limits, listener, signal]: Parameters<typeof runHeadless>
): Promise<Ending> {
	if (!settings) return runHeadless(program, format, limits, listener, signal);
	const { seen, driver, workspaceFolder } = settings;
	const refused = (reason: string): Ending => {
		listener.onNoise(reason);
		return { is: 'no-result', reason };
	};
	for (const folder of new Set([workspaceFolder, program.cwd])) {
		const reason = await refusal(seen.require(driver, folder));
		if (reason !== undefined) return refused(reason);
	}
	const changed = new AbortController();
	let looking: Promise<string | undefined> | undefined;
	const lookAgain = () =>
		(looking ??= refusal(seen.requireStill(driver, workspaceFolder)).then(reason => {
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
