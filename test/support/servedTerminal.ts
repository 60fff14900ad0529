import type { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { askServer, bearer } from './servedDesk.ts';
import { terminal } from './terminal.ts';

/** `nancy serve` as a person runs it, in a process of its own. The caller lets browsers in, and closes it. */
export async function servedTerminal(nancy: NancyCommand, cwd: string) {
	const env = nancy.environment({ XDG_DATA_HOME: process.env['XDG_DATA_HOME'] ?? '' }) as Record<string, string>;
	const screen = terminal(process.execPath, [nancy.program, 'serve'], { cwd, env });
	const shown = await screen.waitForText(/#pair=[\w-]{22}[^]*Ctrl-C/);
	const [address = '', port = '', code = ''] = /http:\/\/127\.0\.0\.1:(\d+)\/#pair=([\w-]{22})/.exec(shown) ?? [];
	return {
		screen,
		/** With the code. */
		address,
		port: Number(port),
		code,
		ask: (path: string, body?: object, token?: string) =>
			askServer(Number(port), path, {
				...(body && { method: 'POST', body }),
				headers: { origin: `http://127.0.0.1:${port}`, ...bearer(token) },
			}),
		letIn: async (scope: 'view' | 'feedback' | 'answer') => {
			await screen.waitForText(/Type view, feedback, answer or no/);
			screen.type(`${scope}\r`);
		},
		[Symbol.asyncDispose]: () => screen.close(),
	};
}
