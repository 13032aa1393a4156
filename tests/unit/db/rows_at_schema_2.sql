INSERT INTO stage(id, key, family, parent, idea, "constraint", source_file, source_line, factors) VALUES
(11, 'v1_7', 'v_study', '', 'k outermost', 'any size', 'kernels/sgemm/v_study.cu', 10, '{"loop nest":"k->m->n"}'),
(12, 'v1_6', 'v_study', 'v1_7', 'k innermost', 'any size', 'kernels/sgemm/v_study.cu', 20, '{"loop nest":"m->n->k"}');
INSERT INTO stage_factor(stage_id, factor, value) VALUES
(11, 'loop nest', 'k->m->n'),
(12, 'loop nest', 'm->n->k');
INSERT INTO run_stage(run_id, stage_id, position) VALUES
(7, 11, 1),
(7, 12, 2),
(8, 11, 1);
INSERT INTO build(id, run_id, stage_id, arch, kernel, cubin_digest) VALUES
(21, 7, 11, 'sm_90', 'v1_7', '00c0ffee'),
(22, 7, 12, 'sm_90', 'v1_6', '');
INSERT INTO static_attribute(build_id, name, source, value, status) VALUES
(21, 'registers', 'cubin', 122, 'ok'),
(22, 'registers', 'cubin', 120, 'ok'),
(22, 'spill_store_bytes', 'compiler', NULL, 'unsupported');
