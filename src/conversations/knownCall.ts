import type { ToolCall } from '../core/driver/acp.ts';

/** A call with what was said of it before: its parts come as they are known. Its status is that of this moment alone. */
export function knownCall(said: ToolCall, before: ToolCall | undefined): ToolCall {
	return {
		...said,
		title: said.title ?? before?.title,
		kind: said.kind ?? before?.kind,
		rawInput: said.rawInput ?? before?.rawInput,
		locations: said.locations ?? before?.locations,
	};
}
