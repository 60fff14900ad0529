import type { KnownDriver } from '../../core/asker/asker.ts';
import { DriverId } from '../../protocol/names.ts';

export const program = {
	id: DriverId.parse('qwen-code'),
	command: 'qwen',
	alsoCalled: [],
	marks: ['QWEN_CODE', 'QWEN_CODE_SESSION_ID'],
	npmPackage: '@qwen-code/qwen-code',
} satisfies KnownDriver;
