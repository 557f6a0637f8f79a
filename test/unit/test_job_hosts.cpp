// Lists of hosts, and the start of readers on them.
#include <catch2/catch.hpp>

#include "commands/commands.hpp"
#include "commands/job_hosts.hpp"

using namespace vftrace::tools;

TEST_CASE("job hosts: lists as batch systems write them") {
    using Names = std::vector<std::string>;
    CHECK(hosts_in("n1,n2") == Names{"n1", "n2"});
    CHECK(hosts_in("n[8-10,12],login") == Names{"n8", "n9", "n10", "n12", "login"});
    CHECK(hosts_in("r1n[08-10]-ib") == Names{"r1n08-ib", "r1n09-ib", "r1n10-ib"});
    CHECK(hosts_in("n1,n1, n1") == Names{"n1"});
    CHECK(hosts_in("n[1-2],n[2-3],n1") == Names{"n1", "n2", "n3"});
    // As many as the largest machines have, at once, and no more whatever a pattern says.
    CHECK(hosts_in("n[0-99999]").size() == 100'000);
    CHECK(hosts_in("n[1-9999]x[1-9999]y[1-9999]").size() <= 100'000);
    CHECK_THROWS_AS(hosts_in("n[3-1]"), UsageError);
    CHECK_THROWS_AS(hosts_in("n[a-b]"), UsageError);
    CHECK_THROWS_AS(hosts_in(","), UsageError);
    CHECK_THROWS_AS(hosts_in("@/no/such/file"), UsageError);
}

TEST_CASE("job hosts: short and long names") {
    CHECK(is_same_host("n17", "n17.cluster.example"));
    CHECK(is_same_host("n17.cluster.example", "n17"));
    CHECK_FALSE(is_same_host("n17.a.example", "n17.b.example"));
    CHECK_FALSE(is_same_host("n17", "n1"));
}

TEST_CASE("job hosts: the launcher's words") {
    const auto words = [](const char* launcher, const char* job = "") {
        return launch_on("n5", launcher, job, {"vftrace", "it's"}).back();
    };
    CHECK(words("my-launcher -x") == "exec my-launcher -x 'n5' 'vftrace' 'it'\\''s'");
    CHECK(words("on {host} do") == "exec on 'n5' do 'vftrace' 'it'\\''s'");
    CHECK(words("srun", "4711.0") ==
          "exec srun --overlap --jobid=4711 --nodes=1 --ntasks=1 --quiet --nodelist='n5' 'vftrace' "
          "'it'\\''s'");
    CHECK(words("mpirun") == "exec mpirun --host 'n5' -n 1 'vftrace' 'it'\\''s'");
}
