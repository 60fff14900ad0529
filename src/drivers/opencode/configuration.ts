import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { LaunchPlace } from '../../core/driver/launchPlace.ts';
import { parseLooseJson } from '../../core/files/looseJson.ts';
import { LAUNCH_PLUGIN } from './deployment.ts';

/** JSON settings that override every file except an administrator's. */
const VARIABLE = 'OPENCODE_CONFIG_CONTENT';

const Content = z.lazy(() =>
	z.looseObject({
		plugin: z._default(z.array(z.unknown()), []),
		agent: z._default(z.record(z.string(), z.unknown()), {}),
	}),
);

export interface OwnConfiguration {
	/** URL of Nancy's plugin. */
	plugin?: string | undefined;
	/** Agents of Nancy's, by their names. */
	agent?: Readonly<Record<string, object>> | undefined;
	/**
	 * Keeps the CLI from starting language servers and formatters. It takes them from the project, and asks nobody, in any mode: tried
	 * with 1.18.33.
	 */
	isHeld?: boolean;
	/**
	 * Without a terminal, nobody undoes a step. For an undo the CLI takes snapshots by git. It reads the name of the folder for these from
	 * the project’s `.git/opencode`, unchecked. Git would run what an agent has written there. Tried with 1.18.33.
	 */
	isHeadless?: boolean;
}

/**
 * The variable with Nancy's settings added to the user's; `undefined` if Nancy has none.
 * @throws NancyError bad-usage if the user's value is unreadable
 */
export function configurationEnvironment(
	env: LaunchPlace['env'],
	{ plugin, agent = {}, isHeld = false, isHeadless = false }: OwnConfiguration,
): Record<string, string> {
	if (plugin === undefined && Object.keys(agent).length === 0 && !isHeadless) return {};
	const users = readContent(env[VARIABLE]);
	// An agent started by another one inherits the settings that Nancy gave to that one.
	const plugins = users.plugin.filter(each => !isOfLaunch(each));
	const content = {
		...users,
		plugin: [...plugins, ...(plugin === undefined ? [] : [plugin])],
		agent: { ...users.agent, ...agent },
		...(isHeld && { lsp: false, formatter: false }),
		...(isHeadless && { snapshot: false }),
	};
	return { [VARIABLE]: JSON.stringify(content) };
}

function readContent(text: string | undefined): z.infer<typeof Content> {
	if (text === undefined || text.trim() === '') return Content.parse({});
	try {
		return Content.parse(parseLooseJson(text));
	} catch (error) {
		throw new NancyError(
			'bad-usage',
			phrase`${VARIABLE} is set to what is no JSON of opencode's; put right or unset it, for Nancy adds to it`,
			{ cause: error },
		);
	}
}

function isOfLaunch(plugin: unknown): boolean {
	return (
		typeof plugin === 'string' &&
		plugin.startsWith('file:') &&
		plugin.endsWith(`/deployment/launch/opencode/${LAUNCH_PLUGIN}`)
	);
}
