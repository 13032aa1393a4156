// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/name.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace culprit {
namespace {

constexpr const char* kVectorized =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_";

TEST(ProgramName, DemanglesPyTorchsKernels) {
  EXPECT_EQ(ReadableName(kVectorized),
            "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, "
            "3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)");
  const std::string readable = ReadableName(kVectorized);
  EXPECT_EQ(NormalName(readable),
            "at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>>");
  EXPECT_EQ(ShortName(readable), "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>, array<char*, 3>>");
  EXPECT_TRUE(StageIdOf(readable).starts_with("vectorized_elementwise_kernel~")) << StageIdOf(readable);
}

TEST(ProgramName, PlainNamesStayAsTheyAre) {
  for (const char* name : {"ampere_sgemm_128x64_nn", "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64",
                           "gather_rows", "_kernel", "dgemm_largek_lds64"}) {
    EXPECT_EQ(ReadableName(name), name);
    EXPECT_EQ(NormalName(name), name);
    EXPECT_EQ(ShortName(name), name);
    EXPECT_EQ(StageIdOf(name), name);
  }
  EXPECT_EQ(StageIdOf(ReadableName("_Z11gather_rowsPKfi")), "gather_rows");
}

TEST(ProgramName, ANamespaceOrATemplateMakesAnotherStage) {
  const std::set<std::string> ids = {StageIdOf("a::copy(int)"), StageIdOf("b::copy(int)"), StageIdOf("copy(int)"),
                                     StageIdOf("void copy<4>(int)"), StageIdOf("void copy<8>(int)")};
  EXPECT_EQ(ids.size(), 5);
  EXPECT_TRUE(ids.contains("copy"));
  for (const std::string& id : ids) EXPECT_TRUE(id.starts_with("copy")) << id;
}

TEST(ProgramName, ManyVariantsOfOneTemplateAreManyStages) {
  std::set<std::string> ids, first_digits;
  for (int i = 0; i < 2000; ++i) {
    const std::string id = StageIdOf("void at::native::kernel<" + std::to_string(i) + ", float>(int)");
    ids.insert(id);
    first_digits.insert(id.substr(0, std::string("kernel~00").size()));
  }
  EXPECT_GE(ids.size(), 1999);
  EXPECT_GE(first_digits.size(), 200);  // of 256
}

TEST(ProgramName, ShortNamesHaveNoNamespacesAndNoDepths) {
  EXPECT_EQ(ShortName("void ns::copy<4, std::array<char*, 3ul> >(int)"), "copy<4, array<char*, 3>>");
  EXPECT_EQ(ShortName("void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_align4>(Params)"),
            "Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_align4>");
  EXPECT_EQ(ShortName("void f<a::b<c::d<e::f<g::h> > > >()"), "f<b<d<f<...>>>>");
  EXPECT_EQ(
      ShortName(
          "void f<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa<ns::bbbbbbbbbbbbbbbbbbbbbbbbb<cccccccccccccccccccccc> > >()"),
      "f<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa<bbbbbbbbbbbbbbbbbbbbbbbbb<...>>>");
}

TEST(ProgramName, ShortNamesNameTheFunctionOfALambda) {
  EXPECT_EQ(ShortName("void at::native::vectorized_elementwise_kernel<8, "
                      "at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, "
                      "at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() "
                      "const::{lambda(c10::BFloat16, c10::BFloat16)#1}, std::array<char*, 3ul> >(int)"),
            "vectorized_elementwise_kernel<8, GeluBackwardCUDAKernelImpl, array<char*, 3>>");
  EXPECT_EQ(ShortName("void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
                      "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() "
                      "const::{lambda(c10::BFloat16)#1}>(at::TensorIteratorBase&)::{lambda(int)#1}>(int)"),
            "elementwise_kernel<128, 4, gpu_kernel_impl_nocast<direct_copy_kernel_cuda>>");
  EXPECT_EQ(ShortName("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
                      "namespace)::TensorListMetadata<2>, at::native::(anonymous "
                      "namespace)::BinaryOpListAlphaFunctor<c10::BFloat16, 2, 2, 0>, std::plus<float>, float>(int)"),
            "multi_tensor_apply_kernel<TensorListMetadata<...>, ...>");
  EXPECT_EQ(ShortName("void k<(anonymous namespace)::sum<float>::operator()(at::T&)::{lambda(float)#1}>(int)"),
            "k<sum<float>>");
}

TEST(ProgramName, WhatVariesFromBuildToBuildIsNotInTheNormalName) {
  EXPECT_EQ(NormalName("(anonymous namespace)::softmax<float>(float*)"), "(anonymous namespace)::softmax<float>");
  EXPECT_EQ(NormalName("_GLOBAL__N__9c36a6c4_10_Dropout_cu_e5ebc2a4::fused<1>(int)"),
            "(anonymous namespace)::fused<1>");
  EXPECT_EQ(NormalName("void k<at::f(at::T&)::{lambda()#1}::operator()() const::{lambda(float)#12}>(int)"),
            NormalName("void k<at::f(at::T&)::{lambda()#3}::operator()() const::{lambda(float)#2}>(int)"));
  EXPECT_EQ(NormalName("void cub::CUB_200200_860_NS::Sort<int>(int)"),
            NormalName("void cub::CUB_200302_900_NS::Sort<int>(int)"));
  EXPECT_EQ(NormalName("matmul_kernel_0d1d2d3de4de"), "matmul_kernel");
  EXPECT_EQ(NormalName("matmul_kernel_0d1d2d3d6c7d"), "matmul_kernel");
  EXPECT_EQ(NormalName("triton_poi_fused_add_3"), "triton_poi_fused_add");
  EXPECT_EQ(NormalName("triton_red_fused__softmax_12_0d1d2de3"), "triton_red_fused__softmax");
  EXPECT_EQ(NormalName("jit_5f1e2d3c4b5a69788796a5b4c3d2e1f0_add"), "jit_#_add");
  EXPECT_EQ(NormalName("app::kernel::h0123456789abcdef"), "app::kernel::#");
}

TEST(ProgramName, WhatIsPartOfANameStays) {
  for (const char* name :
       {"gemm_3", "reduce_2d", "kernel_10", "cupy_add__float_float_float", "conv_0", "v1_6", "fft_0b", "decade_0"})
    EXPECT_EQ(NormalName(name), name);
}

TEST(ProgramName, OperatorsAndShiftsAreNoBrackets) {
  EXPECT_EQ(NormalName("void k<(E)2, (1<<3)>(int (*)(int))"), "k<(E)2, (1<<3)>");
  EXPECT_EQ(NormalName("A::operator<(int)"), "A::operator<");
  EXPECT_EQ(NormalName("A::operator()(int) const"), "A::operator()");
  EXPECT_EQ(StageIdOf("A::operator()(int) const").substr(0, 9), "operator~");
}

// Above libstdc++'s limit.
TEST(ProgramName, LongSymbolsKeepTheirName) {
  std::string symbol = "_ZN7cutlass13device_kernelIN4main12_GLOBAL__N_14gemmILi128ELN6layout4kindE2ELb1ENS_5arrayI";
  for (int i = 0; i < 400; ++i) symbol += "PKi";
  const std::string tail = "EEEEEvNT_6ParamsE";
  const std::string name = ReadableName(symbol + tail);
  EXPECT_EQ(name.substr(0, 26), "cutlass::device_kernel<...") << name;
  EXPECT_NE(StageIdOf(name), StageIdOf(ReadableName(symbol + "i" + tail)));
  EXPECT_TRUE(StageIdOf(name).starts_with("device_kernel~"));
  // A template's member: the name is behind the arguments.
  std::string member = "_ZN3FooILN6layout4kindE2ELi1E";
  for (int i = 0; i < 400; ++i) member += "PKi";
  EXPECT_TRUE(ReadableName(member + "E3runEv").ends_with("::run")) << ReadableName(member + "E3runEv");
}

TEST(ProgramName, WhatWouldExpandIsNotExpanded) {
  std::string symbol = "_Z1fSt4pairIiiE";
  for (const char c : std::string("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    symbol += std::string("S_IS") + c + "_S" + c + "_E";
  EXPECT_LT(ReadableName(symbol).size(), 10'000);
}

TEST(ProgramName, HostileNamesGiveTypeableIds) {
  constexpr std::size_t kMany = 2'000'000;
  std::vector<std::string> names = {"",
                                    "_Z",
                                    "_Z99999999999999999999x",
                                    "_ZN",
                                    "_ZN3",
                                    std::string(kMany, '<'),
                                    std::string(kMany, 'x'),
                                    "_Z" + std::string(kMany, 'P'),
                                    "_ZN" + std::string(kMany, '1'),
                                    std::string(kMany, '('),
                                    std::string(kMany, '_'),
                                    "<script>alert(1)</script>",
                                    "a\tb\n\x1b[31mc",
                                    std::string("a\0b", 3),
                                    "k<" + std::string(kMany, '>'),
                                    "::",
                                    " ",
                                    "()",
                                    "a::",
                                    "void f<",
                                    "operator",
                                    "f<{lambda(#1}",
                                    "\xff\xfe",
                                    "~",
                                    "123"};
  std::mt19937 random(7);
  const std::string mangled = kVectorized;
  for (std::size_t size = 0; size < mangled.size(); ++size) names.push_back(mangled.substr(0, size));
  for (int i = 0; i < 2000; ++i) {
    std::string name = mangled;
    for (int change = 0; change < 3; ++change) name[random() % name.size()] = mangled[random() % mangled.size()];
    names.push_back(name);
  }
  for (const std::string& symbol : names) {
    const std::string readable = ReadableName(symbol), id = StageIdOf(readable);
    EXPECT_LE(ShortName(readable).size(), 86u);
    EXPECT_TRUE(!id.empty() && id.size() < 80) << id.substr(0, 80);
    EXPECT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_~"), id.npos) << id;
  }
}

}  // namespace
}  // namespace culprit
