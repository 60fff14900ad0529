import { signal } from '@preact/signals';
import type { FromPanel, Shown, ToPanel } from '../../protocol/deskPanel.ts';
import type { ToPage } from '../../protocol/deskApi.ts';
import { link, type Host, type Posted } from './host.ts';
import { isOf } from './isOf.ts';
import type { Shape } from './shape.ts';
import { toPanel } from './shapes.ts';
import { speak } from './words.ts';

declare function acquireVsCodeApi(): {
	postMessage(message: FromPanel): void;
	getState(): unknown;
	setState(state: unknown): void;
};

type Reply = Extract<ToPanel, { type: 'reply' }>;

/** The extension, to which this page in a tab of VS Code belongs. It shows one question, which the extension chooses. */
export class PanelHost implements Host {
	readonly surface = 'vscode';
	readonly shown = signal<Shown | undefined>(undefined);
	private readonly vscode = acquireVsCodeApi();
	private readonly waiting = new Map<number, (reply: Reply) => void>();
	private requests = 0;

	get draft(): unknown {
		return this.vscode.getState();
	}

	/** VS Code throws the page of a hidden tab away, and keeps this. */
	set draft(draft: unknown) {
		this.vscode.setState(draft);
	}

	open(receive: (message: ToPage) => void): void {
		window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
			if (isOf(toPanel, data)) this.hear(data, receive);
		});
		link.value = { is: 'live', scope: 'answer' };
		this.say({ type: 'ready' });
	}

	post<T>(route: string, body: object, reply: Shape<T>): Promise<Posted<T>> {
		const number = ++this.requests;
		return new Promise(resolve => {
			this.waiting.set(number, ({ value, error = '' }) =>
				resolve(isOf(reply, value) ? { is: 'done', value } : { is: 'failed', message: error }),
			);
			this.say({ type: 'post', number, route, body });
		});
	}

	say(message: FromPanel): void {
		this.vscode.postMessage(message);
	}

	private hear(message: ToPanel, receive: (message: ToPage) => void): void {
		if (message.type === 'texts') speak(message.texts);
		else if (message.type === 'reply') {
			this.waiting.get(message.number)?.(message);
			this.waiting.delete(message.number);
		} else {
			const questions = [...(message.question ? [message.question] : []), ...message.alike];
			const state = { folders: [], questions, tasks: [], messages: [], delegates: [] };
			receive({ v: 1, type: 'state', seq: 0, state });
			this.shown.value = message;
		}
	}
}
