import { configFolder } from '../../base/folders.ts';
import { DeskRules } from '../../core/questions/deskRules.ts';
import type { OperationContext } from '../operation.ts';

/** The rules of the user who asks for an operation. */
export function deskRules({ env, workspace }: Pick<OperationContext, 'env' | 'workspace'>): DeskRules {
	return new DeskRules(configFolder(env), workspace.own.dataFolder);
}
